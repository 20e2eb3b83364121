import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KernelName } from '../src/features/covariance-kernels.ts';
import { fourierFrequencies } from '../src/features/fourier-frequencies.ts';
import { studyDesign } from '../src/features/study-design.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { Feature } from '../src/study/study.ts';
import { chosen, enduring } from './endurance.ts';
import { everyRow, federated, studyOf, type Table } from './tables.ts';

interface KernelCase {
  readonly kernel: string;
  readonly bandwidth: number;
  readonly ridge: number;
  readonly predictions: readonly number[];
  readonly kernels: readonly (readonly number[])[];
}

interface KernelSet {
  readonly name: string;
  /** Rows that are fitted; the others are predicted. */
  readonly train: number;
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly linear: readonly number[];
  readonly cases: readonly KernelCase[];
}

/** Kernel ridge regressions of scikit-learn and numpy; see vectors/kernel-ridge.py. */
const { sets } = JSON.parse(
  readFileSync(new URL('vectors/kernel-ridge.json', import.meta.url), 'utf8'),
) as { readonly sets: readonly KernelSet[] };

function tableOf({ x, y }: KernelSet): Table {
  const unitless = { type: 'number', range: [-9, 9], center: 0, sd: 1 } as const;
  const names = x[0].map((_, i) => `x${i}`);
  return {
    rows: y.length,
    codebook: Object.fromEntries([...names, 'y'].map((name) => [name, unitless])),
    cells: Object.fromEntries([
      ...names.map((name, i) => [name, Float64Array.from(x, (row) => row[i])]),
      ['y', Float64Array.from(y)],
    ]),
  };
}

/** Predictions for the rows that were left out, of a fit to three sites. */
function predictions(set: KernelSet, features: readonly Feature[], ridge: number): Float64Array {
  const table = tableOf(set);
  const study = studyOf(table, 'y ~ . - 1', { fusion: { kind: 'ridge', ridge }, features });
  const seen = everyRow(table).filter((r) => r < set.train);
  const parts = [0, 1, 2].map((k) => seen.filter((r) => r % 3 === k));
  const { report } = federated(study, table, parts);
  if (typeof report === 'string') throw new Error(report);
  const { variables, predict } = createPredictor(study, report);
  const columns = variables.map((name) => table.cells[name].subarray(set.train));
  const rows = table.rows - set.train;
  return predict({ rows, columns }, { file: '', rowOf: (r) => r })[0];
}

function distance(ours: Float64Array, theirs: readonly number[]): number {
  return Math.sqrt(ours.reduce((sum, v, r) => sum + (v - theirs[r]) ** 2, 0) / theirs.length);
}

/** φ of the first rows: a row for each. */
function featuresOf(set: KernelSet, rows: number, feature: Feature): number[][] {
  const table = tableOf(set);
  const design = studyDesign(studyOf(table, 'y ~ . - 1', { features: [feature] }), 'indicators');
  const hi = design.columns.map(() => new Float64Array(rows));
  const columns = design.variables.map((name) => table.cells[name].subarray(0, rows));
  const noLow = hi.map(() => undefined);
  design.evaluate({ rows, columns }, { file: '', rowOf: (r) => r }, hi, noLow);
  return Array.from({ length: rows }, (_, r) => hi.slice(0, -1).map((column) => column[r]));
}

/** The map of a kernel, with so many columns. */
function featureOf({ kernel, bandwidth }: KernelCase, dimension: number, seed: number): Feature {
  if (kernel === 'ntk') return { kind: 'tangent', dimension, seed };
  const degree = /^arccosine-(\d)$/.exec(kernel)?.[1];
  if (degree !== undefined) {
    return { kind: 'arccosine', dimension, degree: Number(degree) as 0 | 1 | 2, seed };
  }
  return { kind: 'fourier', dimension, kernel: kernel as KernelName, bandwidth, seed };
}

/** Root mean square distance of φ(x)·φ(x′) from the kernel, relative to the kernel, over seeds. */
function kernelError(set: KernelSet, one: KernelCase, feature: (seed: number) => Feature): number {
  const size = one.kernels.length;
  let [error, all] = [0, 0];
  for (let seed = 0; seed < 10; seed++) {
    const phi = featuresOf(set, size, feature(seed));
    one.kernels.forEach((row, i) => {
      row.slice(0, i + 1).forEach((kernel, j) => {
        const product = phi[i].reduce((sum, value, k) => sum + value * phi[j][k], 0);
        error += (product - kernel) ** 2;
        all += kernel ** 2;
      });
    });
  }
  return Math.sqrt(error / all);
}

const wine = sets[1];

describe('φ(x)·φ(x′) comes to the kernel of sklearn or numpy as 1/√D', () => {
  // In the check: a normal, a Cauchy and a t distribution, both layers of the network, and a degree.
  const checked = chosen(wine.cases, 0, 1, 3, 5, 8);
  it.each(checked.map((one) => [one.kernel, one] as const))('%s', (_, one) => {
    const [few, many] = [32, 512].map((dimension) =>
      kernelError(wine, one, (seed) => featureOf(one, dimension, seed)),
    );
    // Sixteen times as many columns: a quarter of the error.
    expect(few / many).toBeGreaterThan(2.8);
    expect(few / many).toBeLessThan(5.6);
    expect(many).toBeLessThan(one.kernel === 'arccosine-2' ? 0.4 : 0.15);
  });

  it('nearer with orthogonal frequencies', () => {
    for (const one of chosen([wine.cases[0], wine.cases[4]], 1)) {
      const error = (orthogonal: boolean) =>
        kernelError(wine, one, (seed) => ({
          ...(featureOf(one, 120, seed) as Extract<Feature, { kind: 'fourier' }>),
          orthogonal,
        }));
      expect(error(true)).toBeLessThan(0.9 * error(false));
    }
  });
});

it('orthogonal frequencies are so in blocks, and fewer are the first of more', () => {
  const draw = { kernel: 'rbf', frequencies: 12, orthogonal: true, seed: 3 } as const;
  const matrix = fourierFrequencies(5, draw);
  const column = (j: number) => [0, 1, 2, 3, 4].map((i) => matrix[i * 12 + j]);
  const product = (a: number, b: number) =>
    column(a).reduce((sum, value, i) => sum + value * column(b)[i], 0);
  for (const [a, b] of [
    [0, 4],
    [1, 2],
    [5, 9],
    [10, 11],
  ]) {
    expect(Math.abs(product(a, b))).toBeLessThan(1e-13);
  }
  expect(Math.abs(product(4, 5))).toBeGreaterThan(1e-3);
  const fewer = fourierFrequencies(5, { ...draw, frequencies: 7 });
  for (let i = 0; i < 5; i++) {
    expect(fewer.slice(7 * i, 7 * i + 7)).toEqual(matrix.slice(12 * i, 12 * i + 7));
  }
});

describe.each(sets.map((set) => [set.name, set] as const))('%s', (_, set) => {
  const wanted = enduring ? set.cases : set.cases.filter(({ kernel }) => /^rbf|ntk/.test(kernel));
  const sizes = enduring ? [128, 512] : [32, 128];
  const seeds = enduring ? [1, 2, 3, 4, 5, 6] : [1, 2, 3];

  it('the linear fit is sklearn’s', () => {
    const table = tableOf(set);
    const study = studyOf(table, 'y ~ . - 1', { fusion: { kind: 'ridge', ridge: 1 } });
    const seen = everyRow(table).filter((r) => r < set.train);
    const { report } = federated(study, table, [seen]);
    if (typeof report === 'string') throw new Error(report);
    const { variables, predict } = createPredictor(study, report);
    const columns = variables.map((name) => table.cells[name].subarray(set.train));
    const block = { rows: set.linear.length, columns };
    expect(distance(predict(block, { file: '', rowOf: (r) => r })[0], set.linear)).toBeLessThan(
      1e-10,
    );
  });

  it.each(wanted.map((one) => [one.kernel, one] as const))(
    'predictions with %s come to those of kernel ridge regression as 1/√D',
    (kernel, one) => {
      const [few, many] = sizes.map((dimension) => {
        const squares = seeds.map((seed) => {
          const feature = featureOf(one, dimension, seed);
          return distance(predictions(set, [feature], one.ridge), one.predictions) ** 2;
        });
        return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / seeds.length);
      });
      // Four times as many columns: half the error.
      expect(few / many, kernel).toBeGreaterThan(1.5);
      expect(few / many, kernel).toBeLessThan(2.8);
    },
  );

  it('Nyström features on the fitted rows are kernel ridge regression', () => {
    for (const { kernel, bandwidth, ridge, predictions: theirs } of chosen(
      set.cases.slice(0, 5),
      1,
      4,
    )) {
      const landmarks = set.x
        .slice(0, set.train)
        .map((row) => Object.fromEntries(row.map((value, i) => [`x${i}`, value])));
      const feature: Feature = {
        ...{ kind: 'nystrom', landmarks, kernel: kernel as KernelName, bandwidth },
      };
      expect(distance(predictions(set, [feature], ridge), theirs), kernel).toBeLessThan(1e-6);
    }
  });
});
