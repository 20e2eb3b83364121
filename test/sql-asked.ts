import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WeightedFacts } from '../src/disclosure/weighted-facts.ts';
import { agreement } from '../src/federate.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import type { Inspection } from '../src/rows/inspection.ts';
import { measureLeverage } from '../src/rows/leverage-job.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import type { SqlAnswer, SqlQuery } from '../src/sql/sql-answer.ts';
import type { Summary } from '../src/statistic/cross-product.ts';
import { linearStatistic } from '../src/statistic/statistic.ts';
import type { RunningEngine } from './sql-engines.ts';
import { exported, type TestStudy } from './sql-tables.ts';

/** What reading the export of a table gives. */
export async function byReading(
  { study, table }: TestStudy,
  folder: string,
  name: string,
): Promise<{
  readonly summary: Summary;
  readonly inspection: Inspection;
  /** Measured in a second pass, where rows have weights. */
  weighted(): Promise<WeightedFacts | undefined>;
}> {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, exported(table));
  const names = agreement(study).columns.map((one) => one.name);
  const source = await openSource(nodeHost, { path }, names);
  const { sites } = await reduceRows(
    {
      ...{ kind: 'reduce', wholeFile: false, study, source, missing: 'drop' },
      site: { name: 'here' },
      inspect: {},
    },
    nodeHost,
    () => {},
  );
  const { summary, inspection } = sites[0]!;
  const { facts, originals } = inspection!;
  const weighted = async () => {
    const second = await measureLeverage(
      {
        ...{ kind: 'leverage', study, source, site: 'here' },
        values: linearStatistic(summary.statistic).values,
        facts: (originals ?? facts!).columns,
      },
      nodeHost,
      () => {},
    );
    return second.weighted;
  };
  return { summary, inspection: inspection!, weighted };
}

/** The answers to some queries, one after the other. */
export async function ask(
  { run }: RunningEngine,
  queries: readonly SqlQuery[],
): Promise<SqlAnswer[]> {
  const answers: SqlAnswer[] = [];
  for (const { sql } of queries) answers.push(await run(sql));
  return answers;
}
