import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { agreement, contribution, joinSummaries } from '../src/federate.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';

/** Paths of a study and of one site's contribution to it. */
export interface ContributionFile {
  readonly study: string;
  readonly contribution: string;
}

/** How often each row counts: a total of fewer rows would be refused for its many columns. */
const TIMES = 20;

/** A least-squares study of a CSV file of numbers, and one contribution of its rows, in files beside it. */
export async function contributionFile(csv: string): Promise<ContributionFile> {
  const paths = {
    study: csv.replace(/csv$/, 'study.json'),
    contribution: csv.replace(/csv$/, 'suffice'),
  };
  if (existsSync(paths.contribution)) return paths;
  const [header] = readFileSync(csv, 'utf8').split('\n', 1);
  const numbers = { type: 'number', range: [-1000, 1000] } as const;
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: 'y ~ .',
    codebook: Object.fromEntries(header!.split(',').map((name) => [name, numbers])),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    grid: 44,
  };
  const agreed = agreement(study);
  const source = await openSource(nodeHost, { path: csv }, []);
  const job = { kind: 'reduce', study, source, missing: 'drop', wholeFile: true } as const;
  const { sites } = await reduceRows({ ...job, site: { name: 'north' } }, nodeHost, () => {});
  writeFileSync(paths.study, JSON.stringify(study));
  const rows = joinSummaries(agreed.rowsLayout, Array(TIMES).fill(sites[0]!.summary));
  const made = contribution(agreed, 'north', rows);
  writeFileSync(paths.contribution, encodeContribution(made));
  return paths;
}
