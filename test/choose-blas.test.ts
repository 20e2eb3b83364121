import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Blas, findBlas } from '../src/node/compute/blas.ts';
import { blasChoice, isWorthBlas, measureSpeeds } from '../src/node/compute/choose-blas.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import type { GramSize, Host } from '../src/rows/host.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import type { Study } from '../src/study/study.ts';

enableRelaxedSimd();

const named = (name: string) => ({ name }) as Blas;
const unasked = () => {
  throw new Error('nothing is to be measured');
};

describe('the choice of a BLAS', () => {
  it.each([
    ['libblas.so.3', 3.2, 13.3, false],
    ['libblas.so.3', 41, 20, true],
    ['libcblas.so.3', 20.1, 20, false],
    ['libblis.so.4', 24, 20, true],
    ['libblis.so.4', 23.9, 20, false],
  ])('%s at %s GF/s against %s: used %s', (name, blas, kernels, used) => {
    const choice = blasChoice(named(name), undefined, () => ({ blas, kernels }));
    expect(choice.blas?.name).toBe(used ? name : undefined);
    const figures = `measured: ${blas.toFixed(1)} GF/s against ${kernels.toFixed(1)} of the kernels`;
    expect(choice.why).toBe(used ? `${name}, ${figures}` : `${name} is not used, ${figures}`);
  });

  it.each([
    'libopenblas.so.0',
    'libmkl_rt.so.2',
    '/System/Library/Frameworks/Accelerate.framework/Accelerate',
  ])('takes %s by its name', (name) => {
    expect(blasChoice(named(name), undefined, unasked)).toEqual({ blas: { name }, why: name });
  });

  it('obeys SUFFICE_BLAS', () => {
    const slow = named('/opt/slow/libblas.so.3');
    expect(blasChoice(slow, slow.name, unasked)).toEqual({
      blas: slow,
      why: '/opt/slow/libblas.so.3, by SUFFICE_BLAS',
    });
    expect(blasChoice(undefined, 'none', unasked)).toEqual({ why: 'none, by SUFFICE_BLAS' });
  });

  it('says that there is none', () => {
    expect(blasChoice(undefined, undefined, unasked)).toEqual({ why: 'none found' });
  });
});

describe('a Gram that is worth a BLAS', () => {
  it.each([
    [50, 1e12, false],
    [128, 1e12, false],
    [200, 2.4e7, false],
    [200, 2.5e7, true],
    [256, 1.6e6, false],
    [256, 5e7, true],
    [512, 5e7, true],
    [1000, 4e6, false],
    [1000, 1.3e7, true],
    [2000, 4.3e7, true],
  ])('%d columns in %d bytes: %s', (columns, bytes, worth) => {
    expect(isWorthBlas({ columns, bytes })).toBe(worth);
  });

  const wide = {
    schema: 'suffice/study@1',
    formula: 'y ~ g',
    codebook: {
      y: { type: 'number', range: [0, 9] },
      g: { type: 'category', levels: Array.from({ length: 30 }, (_, k) => `g${k}`) },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    grid: 44,
  };

  // Columns of the model, not of the file; in float64 sums, the columns of the file as ever.
  it.each([
    ['exact', 31, 20],
    ['compact', 2, Number.POSITIVE_INFINITY],
  ] as const)('%s sums: %d columns, %d bytes', async (arithmetic, columns, bytes) => {
    const folder = mkdtempSync(join(tmpdir(), 'suffice-gram-'));
    const path = join(folder, 'a.csv');
    writeFileSync(path, 'y,g\n1,g0\n2,g1\n3,g2\n\n');
    const asked: GramSize[] = [];
    const host: Host = {
      ...nodeHost,
      grams: async (size) => {
        asked.push(size);
        return undefined;
      },
    };
    const study = { ...wide, arithmetic } as Study;
    const source = await openSource(host, { path }, []);
    const job = { kind: 'reduce', study, source, missing: 'drop', wholeFile: false } as const;
    await reduceRows({ ...job, site: { name: 'a' } }, host, () => {});
    expect(asked.map((size) => ({ ...size, columns: Math.floor(size.columns) }))).toEqual([
      { columns, bytes },
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('the libraries of Debian', () => {
  it('leave the kernels in use where only the reference BLAS is there', async (context) => {
    const library = '/usr/lib/x86_64-linux-gnu/blas/libblas.so.3';
    if (!existsSync(library)) return context.skip('apt install libblas3');
    const blas = await findBlas({ library });
    expect(blasChoice(blas, undefined, measureSpeeds).blas).toBeUndefined();
  });

  it('give OpenBLAS without a measurement', async (context) => {
    const library = '/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0';
    if (!existsSync(library)) return context.skip('apt install libopenblas0-pthread');
    const blas = await findBlas({ library });
    expect(blasChoice(blas, undefined, unasked).blas?.name).toBe(library);
  });
});
