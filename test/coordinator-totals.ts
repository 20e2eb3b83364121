import type { Study } from '../src/study/study.ts';
import { table } from './coordinator-study.ts';
import { federated } from './tables.ts';

/** The digest of the report that `federate` gives for these rows, in this process. */
export function reportDigest(study: Study, sites: readonly (readonly number[])[]): string {
  const { report } = federated(study, table, sites);
  if (typeof report === 'string') throw new Error(report);
  return report.digest;
}
