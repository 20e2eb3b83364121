import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildRun, runChild } from './child.ts';
import { studyFile, wideTable } from './data.ts';
import { blasThreads, findPython } from './peer.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const PANDAS_FIT = fileURLToPath(new URL('pandas-fit.py', import.meta.url));

/** One complete `suffice fit`, exact, two threads; the codebook is drafted if none is given. */
export function runFit(file: string, codebook?: string): Promise<ChildRun> {
  const given = codebook === undefined ? [] : ['--codebook', codebook];
  return runChild(process.execPath, [
    MAIN,
    'fit',
    'y ~ .',
    file,
    ...['--json', '--quiet', '--threads', '2'],
    ...given,
  ]);
}

/** One complete `suffice contribute`: what a site does to join, without the network. */
async function runContribute(file: string, study: string): Promise<ChildRun> {
  const home = mkdtempSync(join(tmpdir(), 'suffice-e2e-'));
  try {
    const out = ['--home', home, '--out', join(home, 'north.suffice'), '--yes', '--quiet'];
    const from = [study, file, '--site', 'north', '--threads', '2'];
    return await runChild(process.execPath, [MAIN, 'contribute', ...from, ...out]);
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** From files to the report, compared with pandas. */
export const e2e: Section = { name: 'e2e', title: 'Files to report', run };

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const rows = quick ? 100_000 : 1_000_000;
  const table = wideTable(rows, note);
  const python = findPython();
  const pandas = python?.versions.pandas ? python.command : undefined;
  if (pandas === undefined) note('no pandas here: e2e has no peer');
  const peaks: Record<string, number> = {};
  const answers: Record<string, readonly number[]> = {};

  const ours = (name: string, file: string, codebook?: string) => async () => {
    const { seconds, peakMegabytes, stdout } = await runFit(file, codebook);
    peaks[name] = Math.max(peaks[name] ?? 0, peakMegabytes);
    answers[name] = JSON.parse(stdout).terms.map((term: { estimate: number }) => term.estimate);
    return seconds;
  };
  const theirs = async () => {
    if (pandas === undefined) return Number.NaN;
    const { peakMegabytes, stdout } = await runChild(
      pandas,
      [PANDAS_FIT, table.csv],
      blasThreads(2),
    );
    const { seconds, coefficients } = JSON.parse(stdout);
    peaks.pandas = Math.max(peaks.pandas ?? 0, peakMegabytes);
    answers.pandas = coefficients;
    return seconds;
  };
  const best = await inTurn(quick ? 2 : 3, {
    csv: ours('csv', table.csv, table.codebook),
    pandas: theirs,
    csvDrafted: ours('csvDrafted', table.csv),
    csvJoined: async () => {
      const { seconds, peakMegabytes } = await runContribute(table.csv, studyFile(table));
      peaks.csvJoined = Math.max(peaks.csvJoined ?? 0, peakMegabytes);
      return seconds;
    },
    parquet: ours('parquet', table.parquet, table.codebook),
    parquetDrafted: ours('parquetDrafted', table.parquet),
  });

  const faster = (name: keyof typeof best) =>
    pandas === undefined ? undefined : best.pandas / best[name];
  const peer = pandas === undefined ? 'pandas: missing' : `pandas ${secondsText(best.pandas)}`;
  const time = (what: string, name: keyof typeof best, goal: object): Line => ({
    what,
    ours: secondsText(best[name]),
    peer,
    ...goal,
  });
  const memory = (what: string, name: string, limit?: number): Line => ({
    what,
    ours: `${peaks[name]!.toFixed(0)} MB`,
    ...(pandas === undefined ? {} : { peer: `pandas ${peaks.pandas!.toFixed(0)} MB` }),
    ...(limit === undefined ? {} : { goal: `< ${limit} MB`, reached: peaks[name]! < limit }),
  });
  const megabytes = (path: string) => `${(statSync(path).size / 1e6).toFixed(0)} MB`;
  const csv = `CSV ${rows} × 51, ${megabytes(table.csv)}`;
  const parquet = `Parquet, ${megabytes(table.parquet)}`;
  return [
    time(`${csv}, codebook`, 'csv', held(faster('csv'), '≥', 5)),
    memory('  peak memory', 'csv', 150),
    time(`${csv}, drafted`, 'csvDrafted', held(faster('csvDrafted'), '≥', 3)),
    memory('  peak memory', 'csvDrafted', 150),
    {
      what: `${csv}, what a site does to join`,
      ours: secondsText(best.csvJoined),
      peer: `suffice fit ${secondsText(best.csv)}`,
      ...held(best.csvJoined / best.csv, '≤', 1.4),
    },
    memory('  peak memory', 'csvJoined', 150),
    time(`${parquet}, codebook`, 'parquet', held(faster('parquet'), '≥', 4)),
    memory('  peak memory', 'parquet', 450),
    time(`${parquet}, drafted`, 'parquetDrafted', { ratio: ratioText(faster('parquetDrafted')) }),
    memory('  peak memory', 'parquetDrafted'),
    ...(pandas === undefined ? [] : [agreementLine(answers)]),
  ];
}

function ratioText(factor: number | undefined): string {
  return factor === undefined ? '' : `${factor.toFixed(2)}×`;
}

/** Speed counts only if the answers agree; pandas reads decimals with an error in the last bit or two. */
function agreementLine({ pandas, ...ours }: Readonly<Record<string, readonly number[]>>): Line {
  const differences = Object.values(ours).flatMap((answer) =>
    answer.map((value, j) => Math.abs(value - pandas![j]!) / Math.max(1, Math.abs(pandas![j]!))),
  );
  const largest = Math.max(...differences);
  return {
    what: 'coefficients differ from pandas by at most',
    ours: largest.toExponential(1),
    goal: '< 1e-10',
    reached: largest < 1e-10,
  };
}
