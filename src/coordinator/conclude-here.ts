import { agreement, report } from '../federate.ts';
import { resolveRidge } from '../fusion/ridge.ts';
import type { Conclude } from './desk.ts';

/** Resolves a total in this thread. */
export const concludeHere: Conclude = async (study, total, sites) => {
  const fit = resolveRidge(total, study.fusion);
  return 'problem' in fit ? fit : report(agreement(study), total, fit, sites);
};
