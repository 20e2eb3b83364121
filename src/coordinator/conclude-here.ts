import { agreement } from '../federate.ts';
import { findings } from '../findings.ts';
import type { Conclude } from './desk.ts';

/** Resolves in this thread. */
export const concludeHere: Conclude = async ({ study, total, parts, sites, inquiry }) =>
  findings(agreement(study), { total, ...(parts === undefined ? {} : { parts }) }, sites, inquiry);
