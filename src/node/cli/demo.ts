import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { agreement } from '../../federate.ts';
import { reportText } from '../../model/report-text.ts';
import { entriesOf, wordsOf } from '../../statistic/layout.ts';
import { type FitRequest, fitFiles, prepareFit } from '../fit.ts';
import { createPool } from '../pool.ts';
import { byteText, silentProgress } from '../progress.ts';
import { inkFor } from './ink.ts';

const ISLANDS = ['biscoe', 'dream', 'torgersen'];
const PENGUINS = new URL('../../../examples/penguins/', import.meta.url);

const request: Omit<FitRequest, 'paths'> = {
  formula: 'body_mass ~ bill_length + flipper_length + sex + species',
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  missing: 'drop',
  decimal: '.',
  missingMarkers: [],
};

/** `suffice demo`: three islands of penguins, none of which could fit the model alone. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('three real sites, one model: the Palmer penguins by island')
    .option('--exit', 'stop when done')
    .action(runDemo);
}

async function runDemo(): Promise<void> {
  const ink = inkFor(process.stdout);
  const print = (text: string) => process.stdout.write(`${text}\n`);
  const paths = ISLANDS.map((island) => fileURLToPath(new URL(`${island}.csv`, PENGUINS)));

  print(`
${ink.bold('Three islands, one model')}

Three islands each weighed and measured their own penguins. No island has all three species, so no
island alone can compare them:
`);
  for (const [k, path] of paths.entries()) {
    print(`  ${ISLANDS[k].padEnd(11)}${(await speciesIn(path)).join(', ')}`);
  }

  const { study, report } = await fitFiles({ ...request, paths }, () => silentProgress);
  const { layout } = agreement(study);
  const numbers = entriesOf(layout);
  print(`
Each island reduces its rows to one symmetric matrix of sums, ${numbers} numbers (${byteText(numbers * wordsOf(layout) * 4)}), and sends
that once. The coordinator adds the three matrices and solves. This is what it gets:

${reportText(report, ink)}
Would the pooled rows have given the same? They would, to the last bit:
`);
  const pooled = await fitPooled(paths);
  print(`  three sites  ${report.digest}`);
  print(`  one file     ${pooled}`);
  print(
    pooled === report.digest
      ? `\n${ink.bold('Identical.')} Now your own files:  npx suffice fit "y ~ x + group" site1.csv site2.csv\n`
      : '\nThey differ, which must not happen: please report it.\n',
  );
  if (pooled !== report.digest) process.exitCode = 1;
}

async function speciesIn(path: string): Promise<readonly string[]> {
  const pool = createPool(1);
  const alone = { ...request, formula: 'body_mass ~ species', paths: [path] };
  const { study } = await prepareFit(alone, pool, () => silentProgress);
  const { species } = study.codebook;
  return species.type === 'category' ? species.levels : [];
}

/** The digest of a fit over one file that holds all rows. */
async function fitPooled(paths: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-demo-'));
  try {
    const tables = paths.map((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
    const pooled = [tables[0][0], ...tables.flatMap((lines) => lines.slice(1))];
    const path = join(folder, 'pooled.csv');
    writeFileSync(path, `${pooled.join('\n')}\n`);
    const { report } = await fitFiles({ ...request, paths: [path] }, () => silentProgress);
    return report.digest;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
