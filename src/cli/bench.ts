import { arch, availableParallelism, platform } from 'node:os';
import type { Command } from 'commander';
import {
  findPaths,
  type KernelPath,
  measurePath,
  type PathSpeed,
} from '../node/compute/bench-kernels.ts';
import { blasChoice, measureSpeeds, WORTH_BLAS } from '../node/compute/choose-blas.ts';
import type { Io } from './io.ts';
import { inkFor } from './terminal-text.ts';

/** `suffice bench`: which kernels are in use, and how fast they are here. */
export function addBenchCommand(program: Command, io: Io): void {
  program
    .command('bench')
    .description('which kernels are in use, and how fast they are here')
    .option('--json', 'print the measurements as JSON')
    .action((flags: { readonly json?: boolean }) =>
      runBench(flags.json === true ? 'json' : 'text', io),
    );
}

async function runBench(form: 'json' | 'text', io: Io): Promise<void> {
  const paths = await findPaths(io.env.SUFFICE_BLAS);
  const inUse = paths.filter((path) => path.blas === undefined).at(-1)!;
  const found = paths.find((path) => path.blas !== undefined)?.blas;
  const { blas, why } = blasChoice(found, io.env.SUFFICE_BLAS, measureSpeeds);
  const threads = availableParallelism();
  const speeds = paths.map(measurePath);
  if (form === 'json') {
    const node = `v${io.nodeVersion}`;
    const machine = { platform: platform(), arch: arch(), node, threads };
    const result = {
      schema: 'suffice/bench@1',
      machine,
      path: inUse.name,
      blas: blas?.name ?? null,
    };
    io.stdout.write(`${JSON.stringify({ ...result, 'blas.why': why, speeds }, null, 2)}\n`);
    return;
  }
  io.stdout.write(
    [
      '',
      `kernels  ${buildName(inUse)}`,
      `BLAS     ${why}${blas === undefined ? '' : `; from ${WORTH_BLAS} columns on`}`,
      `threads  ${threads} for files; one for each figure below`,
      '',
      ...speedTable(speeds).map((line, k) => (k === 0 ? inkFor(io).faint(line) : line)),
      '',
      '',
    ].join('\n'),
  );
}

function buildName({ fused }: KernelPath): string {
  return fused ? 'WASM, SIMD128 + relaxed FMA' : 'WASM, SIMD128';
}

function speedTable(speeds: readonly PathSpeed[]): readonly string[] {
  const rows = [
    ['', ...speeds.map((speed) => speed.path)],
    row(speeds, 'CSV, 17 digits', 'csv.megabytesPerSecond', 0, 'MB/s'),
    row(speeds, 'Gram, d = 100', 'gram100.gigaflops', 1, 'GF/s'),
    row(speeds, 'Gram, d = 400', 'gram400.gigaflops', 1, 'GF/s'),
    row(speeds, 'exact : float64', 'exact.ratio', 2, '×'),
    row(speeds, 'Cholesky, d = 500', 'cholesky500.milliseconds', 1, 'ms'),
  ];
  return rows.map(([name, ...cells]) =>
    `${name!.padEnd(19)}${cells.map((cell) => cell.padStart(15)).join('')}`.trimEnd(),
  );
}

function row(
  speeds: readonly PathSpeed[],
  name: string,
  key: Exclude<keyof PathSpeed, 'path'>,
  digits: number,
  unit: string,
): readonly string[] {
  const cells = speeds.map((speed) => speed[key]);
  return [name, ...cells.map((x) => (x === undefined ? '–' : `${x.toFixed(digits)} ${unit}`))];
}
