import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { randomConvolution } from '../src/features/convolution.ts';
import { noise } from '../src/node/compute/bench-kernels.ts';
import {
  type Convolution,
  convolvedWidth,
  imageConvolver,
} from '../src/numeric/convolve-images.ts';
import type { ImageShape } from '../src/study/study.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/**
 * Random convolution features. SUFFICE_BENCH_PROTOTYPE names the prototype's engine (AssemblyScript); its time is that of
 * the convolution and the positive parts alone, ours also has the columns of the block and the pooling.
 */
export const images: Section = {
  name: 'images',
  title: 'Features of 10,000 images, CPU time of one thread',
  run,
};

const FILTERS = 55;
const BLOCK = 256;

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const path = process.env.SUFFICE_BENCH_PROTOTYPE;
  if (path === undefined) note('SUFFICE_BENCH_PROTOTYPE=/path/to/eng2.ts names the prototype');
  const engine = path === undefined ? undefined : await compile(path);
  const count = quick ? 512 : 10_000;
  const lines: Line[] = [];
  for (const [what, shape, size] of [
    ['28 × 28, 7 × 7 filters', { height: 28, width: 28, channels: 1 }, 7],
    ['32 × 32 × 3, 6 × 6 filters', { height: 32, width: 32, channels: 3 }, 6],
  ] as const) {
    const convolution = randomConvolution(shape, { filters: FILTERS, size, pooling: 3, seed: 1 });
    const { ours, peer } = await inTurn(quick ? 2 : 5, {
      ours: ourTurn(convolution, count),
      peer: engine === undefined ? () => Number.NaN : prototypeTurn(engine, shape, size, count),
    });
    const compared = Number.isFinite(peer);
    lines.push({
      what: `${count} images, ${what}, ${FILTERS} filters`,
      ours: secondsText(ours),
      ...(compared ? { peer: `prototype ${secondsText(peer)}` } : {}),
      ...held(compared ? ours / peer : undefined, '≤', 1.5),
    });
  }
  return lines;
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function ourTurn(convolution: Convolution, count: number): () => number {
  const { height, width, channels, pooling } = convolution;
  const next = noise(1);
  const columns = Array.from({ length: height * width * channels }, () => ({
    values: Float64Array.from({ length: BLOCK }, () => Math.floor(128 + 127 * next())),
    center: 0,
    scale: 255,
  }));
  const target = Array.from(
    { length: convolvedWidth(FILTERS, pooling) },
    () => new Float64Array(BLOCK),
  );
  const convolve = imageConvolver(convolution);
  return () =>
    cpuSeconds(() => {
      for (let done = 0; done < count; done += BLOCK) {
        convolve(columns, Math.min(BLOCK, count - done), target);
      }
    });
}

interface Prototype {
  readonly memory: WebAssembly.Memory;
  im2col(x: number, c: number, h: number, w: number, k: number, out: number): void;
  nn(...sizesAndPointers: number[]): void;
  relu(x: number, n: number): void;
}

function prototypeTurn(
  { im2col, nn, relu, memory }: Prototype,
  { height, width, channels }: ImageShape,
  size: number,
  count: number,
): () => number {
  const positions = (height - size + 1) * (width - size + 1);
  const taps = channels * size * size;
  const [image, filters, patches, maps] = [1, 2, 3, 8].map((place) => place << 20);
  new Float32Array(memory.buffer, image, 2 ** 19).fill(0.3);
  return () =>
    cpuSeconds(() => {
      for (let n = 0; n < count; n++) {
        im2col(image, channels, height, width, size, patches);
        nn(FILTERS, positions, taps, filters, taps, patches, positions, maps, positions, 0);
        relu(maps, FILTERS * positions);
      }
    });
}

async function compile(path: string): Promise<Prototype> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-prototype-'));
  try {
    const out = join(folder, 'prototype.wasm');
    const settings = '-O3 --noAssert --runtime stub --initialMemory 256 --enable simd';
    const { error, stderr } = await asc.main([path, '--outFile', out, ...settings.split(' ')]);
    if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
    const env = { abort: () => {} };
    const { instance } = await WebAssembly.instantiate(readFileSync(out), { env });
    return instance.exports as unknown as Prototype;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
