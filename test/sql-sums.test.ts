import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import { dialects } from '../src/sql/dialects.ts';
import { summaryFrom } from '../src/sql/summary-from.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { Summary } from '../src/statistic/cross-product.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { enginesHere, load, type RunningEngine } from './sql-engines.ts';
import { exported, randomStudy, type TestStudy } from './sql-tables.ts';

const folder = temporaryFolder();

/** What reading the export of the table gives. */
async function byReading({ study, table }: TestStudy, name: string): Promise<Summary> {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, exported(table));
  const source = await openSource(nodeHost, { path }, agreement(study).columns.map((one) => one.name));
  const job = { kind: 'reduce', wholeFile: false, study, source, missing: 'drop', site: { name: 'here' } } as const;
  const { sites } = await reduceRows(job, nodeHost, () => {});
  return sites[0]!.summary;
}

const SEEDS = Array.from({ length: 24 }, (_, k) => 101 + k);

describe.each(enginesHere())('sums by $name', (engine) => {
  let running: RunningEngine;
  beforeAll(async () => {
    running = await engine.start();
  });
  afterAll(() => running?.stop());

  const byQuery = async ({ study, table }: TestStudy, name: string): Promise<Summary> => {
    await load(engine, running, name, table);
    const agreed = agreement(study);
    const answers = [];
    for (const { sql } of sumsQuery(agreed, dialects[engine.name], name)) {
      answers.push(await running.run(sql));
    }
    return summaryFrom(agreed, answers);
  };

  it.each(true ? SEEDS : SEEDS.slice(0, 6))('are those of the rows: study %i', async (seed) => {
    const made = randomStudy(seed);
    const [read, asked] = [await byReading(made, `t${seed}_${engine.name}`), await byQuery(made, `t${seed}`)];
    expect({ formula: made.study.formula, grid: made.study.grid, ...asked }).toEqual({ formula: made.study.formula, grid: made.study.grid, ...read });
  });
});
