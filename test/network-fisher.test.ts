import { describe, expect, it } from 'vitest';
import type { Examples } from '../src/network/examples.ts';
import { diagonalFisher } from '../src/network/fisher-diagonal.ts';
import { fullFisher } from '../src/network/fisher-full.ts';
import { initialWeights } from '../src/network/initial-weights.ts';
import { fisherPass, kfacFactors, layerGrams } from '../src/network/kfac.ts';
import { softmax } from '../src/network/loss.ts';
import { plainValues, planNetwork } from '../src/network/network-plan.ts';
import { outputsOf } from '../src/network/outputs.ts';
import { symmetricEigen } from '../src/numeric/eigen.ts';
import { sharedKernels } from '../src/numeric/kernels.ts';
import { type SomeNumbers, tableExamples, vectorNetworks } from './network-vectors.ts';

const named = (name: string) => vectorNetworks.find((network) => network.name === name)!;

/** The largest difference, relative to the largest of the wanted numbers. */
function error(found: ArrayLike<number>, { length, step, values, largest }: SomeNumbers): number {
  expect(found.length).toBe(length);
  return (
    values.reduce((most, value, k) => Math.max(most, Math.abs(found[k * step] - value)), 0) /
    largest
  );
}

describe('Fisher information', () => {
  it.each(vectorNetworks)('of the network "$name" is that of single rows and labels', (network) => {
    const { plan, weights, examples, vector } = network;
    const { diagonal, factors } = fisherPass(plan, weights, examples());
    expect(error(diagonal, vector.fisher.diagonal)).toBeLessThan(1e-5);
    factors.forEach(({ inputs, outputs }, k) => {
      expect(error(inputs, vector.fisher.inputs[k])).toBeLessThan(1e-5);
      expect(error(outputs, vector.fisher.outputs[k])).toBeLessThan(1e-5);
    });
    expect(same(diagonalFisher(plan, weights, examples()), diagonal)).toBe(true);
    const grams = layerGrams(plan, weights, examples());
    kfacFactors(plan, weights, examples()).forEach(({ inputs, outputs }, k) => {
      expect(same(inputs, factors[k].inputs)).toBe(true);
      expect(same(outputs, factors[k].outputs)).toBe(true);
      expect(same(inputs, grams[k])).toBe(true);
    });
    if (vector.fisher.full === undefined) return;
    expect(error(fullFisher(plan, weights, examples()), vector.fisher.full)).toBeLessThan(1e-5);
  });

  // 20 classes have more seeds than go through together.
  it.each([3, 20])(
    'of the last layer is the mean covariance of the label, of %d classes',
    (width) => {
      const plan = planNetwork({ layers: [{ kind: 'dense', units: 6 }] }, plainValues(5), width);
      const weights = initialWeights(plan, 3).map((weight) => 4 * weight);
      const inputs = Float32Array.from({ length: 500 }, (_, k) => ((k * k) % 97) / 40 - 1);
      const classes = new Uint8Array(100);
      const examples = tableExamples(inputs, 5, { kind: 'classes', classes });
      const shares = new Float64Array(width);
      const wanted = new Float64Array(width * width);
      const outputs = outputsOf(plan, weights, examples);
      for (let row = 0; row < 100; row++) {
        softmax(outputs, width * row, shares);
        for (let k = 0; k < width * width; k++) {
          const [i, j] = [Math.floor(k / width), k % width];
          wanted[k] += ((i === j ? shares[i] : 0) - shares[i] * shares[j]) / 100;
        }
      }
      const { diagonal, factors } = fisherPass(plan, weights, examples);
      expect(far(factors.at(-1)!.outputs, wanted)).toBeLessThan(1e-6);
      const full = fullFisher(plan, weights, examples);
      const own = diagonal.map((_, k) => full[k * plan.weights - (k * (k - 1)) / 2]);
      expect(far(own, diagonal)).toBeLessThan(1e-6);
    },
  );

  it('has factors and a diagonal without negative eigenvalues', () => {
    const { plan, weights, examples } = named('convolution');
    const { diagonal, factors } = fisherPass(plan, weights, examples(40));
    expect(Math.min(...diagonal)).toBeGreaterThanOrEqual(0);
    for (const matrix of factors.flatMap(({ inputs, outputs }) => [inputs, outputs])) {
      const size = Math.sqrt(matrix.length);
      const least = Math.min(...symmetricEigen(sharedKernels(), matrix, size).values);
      expect(least).toBeGreaterThan(-1e-6 * Math.max(...matrix));
    }
  });

  it('is a mean: that of all rows follows from those of two parts', () => {
    const { plan, weights, examples } = named('convolution');
    const all = examples(700);
    const part = (from: number, rows: number): Examples => ({
      ...all,
      rows,
      fill: (target, at, row) => all.fill(target, at, from + row),
    });
    const [whole, first, second] = [part(0, 700), part(0, 37), part(37, 663)].map((rows) =>
      fisherPass(plan, weights, rows),
    );
    const check = (of: (information: typeof whole) => Float64Array) => {
      const wanted = of(whole);
      const largest = Math.max(...wanted);
      wanted.forEach((value, k) => {
        const mean = (37 * of(first)[k] + 663 * of(second)[k]) / 700;
        expect(Math.abs(value - mean)).toBeLessThan(2e-7 * largest);
      });
    };
    check(({ diagonal }) => diagonal);
    for (let k = 0; k < plan.blocks.length; k++) {
      check(({ factors }) => factors[k].inputs);
      check(({ factors }) => factors[k].outputs);
    }
  });

  it.each(['dense', 'numbers'])(
    'from drawn labels of "%s" has the exact one as its mean',
    (name) => {
      const { plan, weights, examples } = named(name);
      const rows = examples();
      const { rows: count, fill } = rows;
      const repeated: Examples = {
        ...rows,
        rows: 1500 * count,
        fill: (target, at, row) => fill(target, at, row % count),
      };
      const exact = fisherPass(plan, weights, rows);
      const { diagonal, factors } = fisherPass(plan, weights, repeated, { seed: 3 });
      const [{ inputs, outputs }] = factors;
      expect(far(inputs, exact.factors[0].inputs)).toBeLessThan(1e-6);
      expect(far(diagonal, exact.diagonal)).toBeLessThan(0.06);
      expect(far(outputs, exact.factors[0].outputs)).toBeLessThan(0.06);
      const drawn = [3, 3, 4].map((seed) => diagonalFisher(plan, weights, rows, { seed }));
      expect(same(drawn[0], drawn[1])).toBe(true);
      expect(same(drawn[0], drawn[2])).toBe(false);
    },
  );

  it('is not made in full of a large network', () => {
    const plan = planNetwork({ layers: [{ kind: 'dense', units: 60 }] }, plainValues(50), 2);
    const examples: Examples = {
      ...{ rows: 1, answers: { kind: 'classes', classes: new Uint8Array(1) } },
      fill: () => {
        throw new Error('rows were read');
      },
    };
    expect(() => fullFisher(plan, new Float32Array(plan.weights), examples)).toThrow(
      expect.objectContaining({
        name: 'DataError',
        message: expect.stringMatching(/3182 weights.*at most 3000/),
        remedy: expect.stringMatching(/diagonal/),
      }),
    );
  });
});

/** The largest difference, relative to the largest wanted number. */
function far(found: Float64Array, wanted: Float64Array): number {
  return Math.max(...found.map((value, k) => Math.abs(value - wanted[k]))) / Math.max(...wanted);
}

function same(a: Float64Array, b: Float64Array): boolean {
  return Buffer.from(a.buffer).equals(Buffer.from(b.buffer));
}
