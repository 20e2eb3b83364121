import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rowsByClient } from '../experiments/fisher/partition.ts';
import { dividedDigits, smallDigitExamples } from '../experiments/fisher/small-digits.ts';
import { dirichletSites } from '../experiments/images/dirichlet.ts';
import { fullDistillation } from '../src/network/distillation.ts';
import { loadWeights } from '../src/network/engine.ts';
import { createEnsemble } from '../src/network/ensemble.ts';
import { forwardPass } from '../src/network/forward-pass.ts';
import { averageNetwork, weightSums } from '../src/network/fuse-average.ts';
import { fuseDense } from '../src/network/fuse-dense.ts';
import type { ValueRange } from '../src/network/generated-inputs.ts';
import { createGenerator } from '../src/network/generator.ts';
import { generatorBytes, planGenerator } from '../src/network/generator-plan.ts';
import { initialWeights } from '../src/network/initial-weights.ts';
import { inputGradient } from '../src/network/input-gradient.ts';
import type { Network } from '../src/network/network.ts';
import { plainValues, planNetwork, valueCount } from '../src/network/network-plan.ts';
import { accuracyOf } from '../src/network/outputs.ts';
import { createStudent } from '../src/network/student.ts';
import { train } from '../src/network/train.ts';
import { fullTraining } from '../src/network/training.ts';
import { createWorkspace } from '../src/network/workspace.ts';
import { enduring } from './endurance.ts';
import { exampleDigits } from './example-digits.ts';
import { DISTILLED_DIGEST, distilledDigest } from './network-digest.ts';
import { apart, drawnSites, smallNetwork, smallPlan, stream } from './network-sites.ts';
import { vectorNetworks } from './network-vectors.ts';
import { plainBatch } from './plain-generator.ts';
import { plainOutputs } from './plain-network.ts';

interface GeneratorVector {
  readonly input: readonly [number, number, number];
  readonly width: number;
  readonly code: number;
  readonly batch: number;
  readonly ranges: readonly (readonly [number, number])[];
  readonly parameters: number;
  readonly made: readonly number[];
  readonly step: number;
  readonly gradient: readonly number[];
  readonly largest: number;
  readonly length: number;
}

const vectors: Readonly<Record<string, GeneratorVector>> = JSON.parse(
  readFileSync(new URL('vectors/generator.json', import.meta.url), 'utf8'),
);

/** Numbers in (−0.5, 0.5) that `vectors/generator.py` makes, too. */
const wave = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, k) => {
    return ((k * k * 31 + k * (17 + seed) + seed * 97) % 1009) / 1009 - 0.5;
  });

function generatorOf({ input, width, code, batch, ranges }: GeneratorVector) {
  const [channels, height, wide] = input;
  const plan = planGenerator({ channels, height, width: wide }, width, code);
  const all = ranges.map(([low, high]): ValueRange => ({ low, high }));
  return { plan, ranges: all, batch, generator: createGenerator(plan, all, batch) };
}

describe('a generator', () => {
  it.each(Object.entries(vectors))('of %s has the batch and the gradient of torch', (_, vector) => {
    const { plan, batch, generator } = generatorOf(vector);
    expect(plan.weights + batch * plan.code).toBe(vector.parameters);
    generator.parameters().set(wave(vector.parameters, 7).map((value) => 1.5 * value));
    const made = generator.forward();
    expect(apart(made, vector.made)).toBeLessThan(1e-5);
    const gradient = generator.backward(wave(made.length, 8));
    const some = vector.gradient.map((_, k) => gradient[k * vector.step]);
    expect(apart(some, vector.gradient)).toBeLessThan(1e-5 * vector.largest);
    expect(Math.hypot(...gradient) / vector.length).toBeCloseTo(1, 5);
  });

  it('is known by its memory', () => {
    for (const [width, batch] of [
      [8, 64],
      [64, 8],
    ] as const) {
      const plan = planGenerator({ channels: 3, height: 32, width: 32 }, width, 64);
      const ranges = [0, 1, 2].map(() => ({ low: 0, high: 1 }));
      const generator = createGenerator(plan, ranges, batch);
      const share = generatorBytes(plan, batch) / generator.parameters().buffer.byteLength;
      expect(share).toBeGreaterThan(0.5);
      expect(share).toBeLessThan(2);
    }
  });
});

describe('the gradient by the inputs of a network', () => {
  it.each(vectorNetworks.filter(({ name }) => name !== 'lenet'))(
    '"$name" is finite differences of its definition',
    ({ plan, weights, examples }) => {
      const { rows, fill } = examples();
      const values = valueCount(plan.input);
      const inputs = new Float32Array(rows * values);
      for (let row = 0; row < rows; row++) fill(inputs, row * values, row);
      const slopes = wave(rows * plan.outputs, 3);
      const workspace = createWorkspace(plan, rows, 1, 'inputs');
      loadWeights(workspace, weights);
      workspace.kernels.f32(workspace.given, inputs.length).set(inputs);
      forwardPass(workspace, rows);
      const gradient = inputGradient(workspace, rows, slopes);
      const own = Float64Array.from(weights);
      const places = Array.from(gradient.keys()).filter((k) => k % 5 === 0);
      const differences = places.map((k) => {
        const row = Math.floor(k / values);
        const [above, below] = [1e-6, -1e-6].map((change) => {
          const moved = Float64Array.from(inputs.subarray(row * values, (row + 1) * values));
          moved[k % values] += change;
          return plainOutputs(plan, own, moved).reduce(
            (sum, output, c) => sum + output * slopes[row * plan.outputs + c],
            0,
          );
        });
        return (above - below) / 2e-6;
      });
      const largest = Math.max(...differences.map(Math.abs));
      expect(largest).toBeGreaterThan(0.01);
      const some = places.map((k) => gradient[k]);
      expect(apart(some, differences)).toBeLessThan(1e-5 * largest);
    },
  );

  it('is not there unless the workspace reaches the inputs', () => {
    const workspace = createWorkspace(smallPlan, 2);
    expect(() => inputGradient(workspace, 2, new Float32Array(6))).toThrow('reach the inputs');
  });
});

const sites = drawnSites();
const ranges: readonly ValueRange[] = [{ low: -1, high: 2 }];

/** −log of a class's share. */
const missing = (outputs: readonly number[], own: number) =>
  Math.log(outputs.reduce((sum, output) => sum + Math.exp(output), 0)) - outputs[own];

describe('inputs that the sites’ networks name and the student does not', () => {
  const batch = 6;
  const classes = Uint16Array.from({ length: batch }, (_, k) => k % 3);
  const student = stream(77, smallPlan.weights);
  const plan = planGenerator(smallPlan.input, 8, 4);
  const generator = createGenerator(plan, ranges, batch);
  generator.draw('some');
  const ensemble = createEnsemble(smallPlan, sites, batch);
  ensemble.face(Float32Array.from(student));
  const found = ensemble.slope(generator.forward(), classes);
  const parameters = Float64Array.from(generator.parameters());
  const gradient = generator.backward(found.gradient).slice();

  /** The loss in float64, by its definition. */
  const lossAt = (own: Float64Array) => {
    let [loss, unlike] = [0, 0];
    plainBatch(plan, ranges, batch, own).forEach((inputs, row) => {
      const all = sites.map(({ weights }) => plainOutputs(smallPlan, weights, inputs));
      const outputs = [0, 1, 2].map((c) =>
        all.reduce((sum, one, k) => sum + (sites[k].rows / 100) * one[c], 0),
      );
      const other = plainOutputs(smallPlan, student, inputs);
      loss += missing(outputs, classes[row]) / batch;
      const first = (scores: readonly number[]) => scores.indexOf(Math.max(...scores));
      if (first(outputs) === first(other)) return;
      unlike++;
      for (let c = 0; c < 3; c++) {
        const share = Math.exp(-missing(outputs, c));
        loss -= (0.5 * share * (missing(other, c) - missing(outputs, c))) / batch;
      }
    });
    return { loss, unlike };
  };

  it('have a loss of both kinds, and its gradient by codes and weights', () => {
    const { loss, unlike } = lossAt(parameters);
    expect(unlike).toBeGreaterThan(0);
    expect(unlike).toBeLessThan(batch);
    expect(Math.abs(found.loss - loss)).toBeLessThan(1e-5);
    const places = Array.from(gradient.keys()).filter(
      (k) => k % 199 === 0 || (k >= plan.shifts && k % 3 === 0),
    );
    const differences = places.map((k) => {
      const [above, below] = [1e-6, -1e-6].map((change) => {
        const moved = parameters.slice();
        moved[k] += change;
        return lossAt(moved).loss;
      });
      return (above - below) / 2e-6;
    });
    const largest = Math.max(...gradient.map(Math.abs));
    const some = places.map((k) => gradient[k]);
    expect(apart(some, differences)).toBeLessThan(1e-4 * largest);
  });
});

describe('a student', () => {
  it('learns the outputs of a lesson', () => {
    const rows = 24;
    const inputs = Float32Array.from(stream(5, rows * valueCount(smallPlan.input)));
    const outputs = Float32Array.from(stream(6, rows * 3), (value) => 4 * value);
    const start = Float32Array.from(stream(9, smallPlan.weights), (value) => 0.3 * value);
    const student = createStudent(smallPlan, start, 8, 4);
    const wrong = () => {
      const own = Float64Array.from(student.weights());
      let sum = 0;
      for (let row = 0; row < rows; row++) {
        const given = inputs.subarray(36 * row, 36 * (row + 1));
        const made = plainOutputs(smallPlan, own, given);
        const lesson = Array.from(outputs.subarray(3 * row, 3 * (row + 1)));
        const share = (c: number) => Math.exp(-missing(lesson, c));
        sum += [0, 1, 2].reduce((all, c) => all + share(c) * missing(made, c), 0) / rows;
      }
      return sum;
    };
    const before = wrong();
    for (let pass = 0; pass < 60; pass++) student.learn([{ inputs, outputs }], 1, pass);
    expect(wrong()).toBeLessThan(0.8 * before);
  });
});

const terms = fullDistillation({ batches: 2, batch: 8, steps: 3, width: 8, passes: 2 });
const fused = (of: Parameters<typeof fuseDense>[1]) =>
  fuseDense(smallPlan, of, ranges, terms, { seed: 3 });

describe('dense', () => {
  it('has the same bits on every machine', () => {
    expect(distilledDigest()).toBe(DISTILLED_DIGEST);
  });

  const weights = fused(sites);

  it('has the same bits again, in any order of the sites, and with a site without rows', () => {
    expect(fused(sites)).toEqual(weights);
    expect(fused([...sites.toReversed(), { ...sites[0], rows: 0 }])).toEqual(weights);
    expect(fuseDense(smallPlan, sites, ranges, terms, { seed: 4 })).not.toEqual(weights);
  });

  it('leaves a network alone that all sites have', () => {
    const own = sites.map(({ rows }) => ({ rows, weights: sites[0].weights }));
    const average = averageNetwork(weightSums(own));
    expect(apart(fused(own), average)).toBeLessThan(1e-5);
    expect(apart(weights, averageNetwork(weightSums(sites)))).toBeGreaterThan(1e-3);
  });

  it('stops at networks whose outputs are no numbers', () => {
    const huge = sites.map(({ rows, weights: own }) => ({
      rows,
      weights: own.map((w) => w * 1e30),
    }));
    expect(() => fused(huge)).toThrow('not finite');
  });

  it('generates rows of a table', () => {
    const plan = planNetwork({ layers: smallNetwork.layers.slice(3) }, plainValues(6), 3);
    const own = [1, 2].map((k) => ({ rows: k, weights: stream(k, plan.weights) }));
    const near = Array.from({ length: 6 }, () => ({ low: -3, high: 3 }));
    const made = fuseDense(plan, own, near, terms, { seed: 1 });
    expect(made.every(Number.isFinite)).toBe(true);
    expect(made).not.toEqual(averageNetwork(weightSums(own)));
  });
});

describe('digits at five sites with different classes', () => {
  const network: Network = {
    layers: [
      { kind: 'convolution', channels: 6, size: 3 },
      { kind: 'relu' },
      { kind: 'max-pool', size: 2 },
      { kind: 'dense', units: 24 },
      { kind: 'relu' },
    ],
  };
  const plan = planNetwork(network, { channels: 1, height: 8, width: 8 }, 10);
  const digits = exampleDigits();
  const { train: own, test } = dividedDigits(digits, 2);
  const labels = own.map((row) => digits.labels[row]);
  const dealt = rowsByClient(dirichletSites(labels, 10, 5, 0.3, 2), 5);
  const training = fullTraining({ epochs: 20, batch: 16, rate: 0.02 });
  const trainedAtSites = () =>
    dealt.map((places) => {
      const examples = smallDigitExamples(
        digits,
        places.map((k) => own[k]),
      );
      const steps = train(plan, examples, training, initialWeights(plan, 1));
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      return { rows: examples.rows, weights: Float64Array.from(step.value) };
    });
  const right = (weights: Float64Array) =>
    accuracyOf(plan, Float32Array.from(weights), smallDigitExamples(digits, test));

  it.runIf(enduring)('are named better by dense than by the average', () => {
    const trained = trainedAtSites();
    const small = fullDistillation({ batches: 10, batch: 32, width: 8 });
    const range = [{ low: -1, high: 1 }];
    const dense = fuseDense(plan, trained, range, small, { seed: 1 });
    expect(right(dense) - right(averageNetwork(weightSums(trained)))).toBeGreaterThan(0.02);
  });
});
