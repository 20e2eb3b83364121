import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noise } from '../src/node/compute/bench-kernels.ts';
import { runChild } from './child.ts';
import { contributionFile } from './contribution-file.ts';
import { studyFile, wideTable } from './data.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const folder = fileURLToPath(new URL('data/', import.meta.url));

/** Whole processes of this build and of an earlier one, in turn. SUFFICE_BENCH_BEFORE is the earlier dist/command/main.js. */
export const before: Section = {
  name: 'before',
  title: 'Whole processes beside an earlier build; BLAS switched off in both',
  run,
};

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const old = process.env.SUFFICE_BENCH_BEFORE;
  if (old === undefined) note('SUFFICE_BENCH_BEFORE=/path/to/dist/command/main.js names the build');
  const small = wideTable(20_000, note);
  const large = wideTable(quick ? 100_000 : 1_000_000, note);
  const megabytes = quick ? '100 MB' : '1 GB';
  const home = join(tmpdir(), `suffice-before-${process.pid}`);
  const sites = quick ? [10, 20] : [100, 200];
  const files = numberFiles(sites[0]!, 2 * sites[1]! + 10, sites[1]!);
  const wide = [];
  for (const d of quick ? [50] : [1000, 2000]) {
    const csv = numberFiles(1, d + 500, d)[0]!;
    wide.push({ d, csv, ...(await contributionFile(csv)) });
  }
  const cases: readonly (readonly [string, readonly string[], number])[] = [
    ['--help', ['--help'], 1],
    ['--version', ['--version'], 1],
    ['fit of a small file', ['fit', 'y ~ x0', files[0]!], 1],
    ['fit, 20 MB, codebook', ['fit', 'y ~ .', small.csv, '--codebook', small.codebook], 1],
    ['fit, 20 MB, drafted', ['fit', 'y ~ .', small.csv], 1],
    [
      `fit, ${megabytes}, codebook`,
      ['fit', 'y ~ .', large.csv, '--codebook', large.codebook],
      1.15,
    ],
    [`fit, ${megabytes}, drafted`, ['fit', 'y ~ .', large.csv], 1],
    [
      `what a site does to join, ${megabytes}`,
      [
        ...['contribute', studyFile(large), large.csv, '--site', 'north', '--yes', '--quiet'],
        ...['--home', home, '--out', join(home, 'north.suffice')],
      ],
      1,
    ],
    ...wide.map(({ d, csv }) => [`fit and report, d = ${d}`, ['fit', 'y ~ .', csv], 1] as const),
    ...wide.map(
      ({ d, study, contribution }) =>
        [`report alone, d = ${d}`, ['combine', study, contribution], 2] as const,
    ),
    [
      `leave-one-site-out, ${sites[0]} sites, d = ${sites[1]}, 100 ridges`,
      ['fit', 'y ~ .', ...files, '--ridge', 'leave-one-site-out'],
      1,
    ],
  ];
  const lines: Line[] = [];
  for (const [what, args, bound] of cases) {
    const time = (main: string | undefined) => async () => {
      if (main === undefined) return Number.NaN;
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home); // a site that joins for the first time
      return (await runChild(process.execPath, [main, ...args], { SUFFICE_BLAS: 'none' })).seconds;
    };
    const best = await inTurn(quick ? 1 : 5, { now: time(MAIN), before: time(old) });
    const factor = old === undefined ? undefined : best.before / best.now;
    const peer = old === undefined ? 'missing' : `before ${secondsText(best.before)}`;
    lines.push({ what, ours: secondsText(best.now), peer, ...held(factor, '≥', bound) });
  }
  rmSync(home, { recursive: true, force: true });
  return lines;
}

/** Files of numbers x0 … and y, which is linear in them, in five digits. */
function numberFiles(count: number, rows: number, width: number): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, k) => {
    const path = `${folder}numbers-${rows}x${width}-${k}.csv`;
    if (existsSync(path)) return path;
    const next = noise(1000 * width + k);
    const lines = [[...Array.from({ length: width }, (_, j) => `x${j}`), 'y'].join(',')];
    for (let r = 0; r < rows; r++) {
      const x = Array.from({ length: width }, next);
      const y = x.reduce((sum, value, j) => sum + (value * (j % 7)) / width, next());
      lines.push([...x, y].map((value) => value.toFixed(5)).join(','));
    }
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  });
}
