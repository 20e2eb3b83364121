import { agreement, report } from '../federate.ts';
import { resolve } from '../fusion/resolve.ts';
import type { Conclude } from './desk.ts';

/** Resolves a total in this thread. */
export const concludeHere: Conclude = async (study, total, sites) => {
  const fit = resolve(study.fusion, total);
  return 'problem' in fit ? fit : report(agreement(study), total, fit, sites);
};
