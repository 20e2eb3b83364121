import type { Conclude } from '../coordinator/desk.ts';
import { agreement, report } from '../federate.ts';
import { resolveRidge } from '../fusion/ridge.ts';

/** Resolves a total in this thread. */
export const concludeHere: Conclude = async (study, total, sites) => {
  const agreed = agreement(study);
  const fit = resolveRidge(total, study.fusion);
  return 'problem' in fit ? fit : report(agreed, total, fit, sites);
};
