import { describe, expect, it } from 'vitest';
import { createEngine } from '../src/network/engine.ts';
import { epochOrder } from '../src/network/epoch-order.ts';
import type { Answers, Examples } from '../src/network/examples.ts';
import { initialWeights } from '../src/network/initial-weights.ts';
import { leNet } from '../src/network/known-networks.ts';
import { lossOf } from '../src/network/loss.ts';
import type { Network, NetworkLayer } from '../src/network/network.ts';
import { imageValues, planNetwork, valueCount } from '../src/network/network-plan.ts';
import { accuracyOf, outputsOf, rowLosses } from '../src/network/outputs.ts';
import { type EpochProgress, type TrainingState, train } from '../src/network/train.ts';
import { type FullTraining, fullTraining } from '../src/network/training.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { networkDigest, TRAINED_DIGEST } from './network-digest.ts';
import { tableExamples, type VectorNetwork, vectorNetworks } from './network-vectors.ts';
import { plainLoss, plainOutputs } from './plain-network.ts';

const named = (name: string) => vectorNetworks.find((network) => network.name === name)!;

/** Mean loss of some examples, the outputs and the gradient by the weights. */
function slope({ plan, weights, examples }: Pick<VectorNetwork, 'plan' | 'weights' | 'examples'>) {
  const rows = examples();
  const engine = createEngine(plan, rows.rows);
  engine.load(weights);
  const values = valueCount(plan.input);
  for (let row = 0; row < rows.rows; row++) rows.fill(engine.inputs(), row * values, row);
  const outputs = engine.forward(rows.rows);
  const lossAt = lossOf(rows.answers, plan.outputs);
  const slopes = new Float32Array(outputs.length);
  let loss = 0;
  for (let row = 0; row < rows.rows; row++) {
    loss += lossAt(outputs, row * plan.outputs, row, slopes, 1 / rows.rows) / rows.rows;
  }
  return { loss, outputs, gradient: engine.backward(slopes) };
}

const worst = (found: ArrayLike<number>, wanted: ArrayLike<number>) =>
  Array.from(wanted).reduce((most, value, k) => Math.max(most, Math.abs(found[k] - value)), 0);

/** The reports of a training, the last one with the weights. */
function trained(...args: Parameters<typeof train>) {
  const steps = train(...args);
  const reports: (EpochProgress & { kept: TrainingState })[] = [];
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { reports, weights: step.value };
    reports.push({ ...step.value, kept: structuredClone(step.value.state()) });
  }
}

describe('gradients', () => {
  it.each(vectorNetworks)('of the network "$name" are those of torch', (network) => {
    const { gradients } = network.vector;
    const { loss, outputs, gradient } = slope(network);
    expect(network.plan.weights).toBe(gradients.weights);
    expect(worst(outputs, gradients.outputs)).toBeLessThan(1e-5);
    expect(Math.abs(loss - gradients.loss)).toBeLessThan(1e-5);
    const some = gradients.gradient.map((_, k) => gradient[k * gradients.step]);
    expect(worst(some, gradients.gradient)).toBeLessThan(1e-5 * gradients.largest);
    expect(Math.hypot(...gradient) / gradients.length).toBeCloseTo(1, 5);
  });

  it.each(['dense', 'convolution', 'plain', 'numbers'])(
    'of "%s" are finite differences of its definition',
    (name) => {
      const network = named(name);
      const { plan } = network;
      const examples = network.examples();
      const inputs = new Float32Array(valueCount(plan.input));
      const loss = (weights: Float64Array) => {
        let sum = 0;
        for (let row = 0; row < examples.rows; row++) {
          examples.fill(inputs, 0, row);
          sum += plainLoss(examples.answers, plainOutputs(plan, weights, inputs), row);
        }
        return sum / examples.rows;
      };
      const { gradient } = slope(network);
      const some = gradient.filter((_, k) => k % 4 === 0);
      const differences = some.map((_, k) => {
        const [above, below] = [1e-6, -1e-6].map((change) => {
          const weights = Float64Array.from(network.weights);
          weights[4 * k] += change;
          return loss(weights);
        });
        return (above - below) / 2e-6;
      });
      expect(worst(some, differences)).toBeLessThan(1e-5 * Math.max(...gradient.map(Math.abs)));
    },
  );
});

describe('networks of any form', () => {
  const words = seededWords(21);
  const upTo = (most: number) => 1 + (words() % most);
  const layerOf = (): NetworkLayer => {
    const kind = words() % 4;
    if (kind === 0) return { kind: 'relu' };
    return { kind: 'convolution', channels: upTo(9), size: upTo(3), padding: words() % 3 };
  };
  const networks = Array.from({ length: 18 }, (_, k) => {
    const layers: NetworkLayer[] = [layerOf(), layerOf()];
    layers.splice(k % 3, 0, { kind: 'max-pool', size: 1 + upTo(2) });
    layers.push({ kind: 'dense', units: upTo(13) }, { kind: 'relu' });
    return {
      k,
      input: { channels: upTo(5), height: 14 + upTo(3), width: 14 + upTo(3) },
      network: { bias: k % 2 === 0, layers } satisfies Network,
    };
  });

  it.each(networks)(
    '$k: outputs and slopes follow from the definition',
    ({ k, input, network }) => {
      const outputs = upTo(6);
      const plan = planNetwork(network, input, outputs);
      const values = valueCount(input);
      const rows = upTo(6);
      const draw = (length: number) => Float32Array.from({ length }, () => words() / 2 ** 31 - 1);
      const inputs = draw(rows * values);
      const answers: Answers =
        k % 4 === 0
          ? { kind: 'numbers', numbers: draw(rows * outputs) }
          : {
              kind: 'classes',
              classes: Uint8Array.from({ length: rows }, () => words() % outputs),
            };
      const weights = initialWeights(plan, k);
      const examples = () => tableExamples(inputs, values, answers);
      const found = slope({ plan, weights, examples });
      const direction = draw(plan.weights);
      const plainAt = (step: number) => {
        const moved = Float64Array.from(weights, (weight, w) => weight + step * direction[w]);
        return Array.from({ length: rows }, (_, row) =>
          plainOutputs(plan, moved, inputs.subarray(row * values, (row + 1) * values)),
        );
      };
      const lossAt = (step: number) =>
        plainAt(step).reduce((sum, made, row) => sum + plainLoss(answers, made, row) / rows, 0);
      expect(worst(found.outputs, plainAt(0).flat())).toBeLessThan(1e-5);
      const rise = found.gradient.reduce((sum, value, w) => sum + value * direction[w], 0);
      const difference = (lossAt(1e-7) - lossAt(-1e-7)) / 2e-7;
      expect(Math.abs(rise - difference)).toBeLessThan(1e-5 * Math.hypot(...found.gradient, 1));
    },
  );
});

describe('training', () => {
  it.each(['momentum', 'adam'] as const)('by %s takes the steps of torch', (optimiser) => {
    const { plan, weights, examples, vector } = named('convolution');
    const rate = { momentum: 0.05, adam: 0.01 }[optimiser];
    const given = examples(10);
    let state: TrainingState | undefined;
    for (let epoch = 0; epoch < 4; epoch++) {
      const terms = fullTraining({ optimiser, rate, batch: 4, epochs: epoch + 1 });
      const { reports } = trained(plan, inOrder(given, terms, epoch), terms, weights, state);
      state = reports.at(-1)!.kept;
    }
    const wanted = vector.trajectories![optimiser];
    expect(worst(state!.weights, wanted)).toBeLessThan(1e-5 * Math.max(...wanted.map(Math.abs)));
  });

  it('gives the same weights again, and when it is resumed from any report', () => {
    const { plan, weights, examples } = named('convolution');
    for (const optimiser of ['momentum', 'adam'] as const) {
      const terms = fullTraining({ optimiser, batch: 3, epochs: 5, seed: 9 });
      const whole = trained(plan, examples(10), terms, weights);
      expect(whole.reports.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5]);
      for (const { kept, epoch } of whole.reports) {
        const rest = trained(plan, examples(10), terms, weights, kept);
        expect([epoch, rest.weights]).toEqual([epoch, whole.weights]);
        expect(rest.reports.map(({ loss }) => loss)).toEqual(
          whole.reports.slice(epoch).map(({ loss }) => loss),
        );
      }
      const other = trained(plan, examples(10), { ...terms, seed: 10 }, weights);
      expect(other.weights).not.toEqual(whole.weights);
    }
  });

  it('reports inside a long epoch, and goes on from there', () => {
    const layers = [
      { kind: 'convolution', channels: 32, size: 7, padding: 3 },
      { kind: 'max-pool', size: 8 },
      { kind: 'max-pool', size: 5 },
    ] as const;
    const plan = planNetwork({ layers }, { channels: 1, height: 40, width: 40 }, 2);
    const inputs = Float32Array.from({ length: 1600 * 450 }, (_, k) => ((k * k) % 101) / 50 - 1);
    const classes = Uint8Array.from({ length: 450 }, (_, row) => row % 2);
    const examples = tableExamples(inputs, 1600, { kind: 'classes', classes });
    const terms = fullTraining({ epochs: 1, batch: 50 });
    const start = initialWeights(plan, 1);
    const whole = trained(plan, examples, terms, start);
    expect(whole.reports.map(({ epoch }) => epoch)).toEqual([7 / 9, 1]);
    const rest = trained(plan, examples, terms, start, whole.reports[0].kept);
    expect(rest.weights).toEqual(whole.weights);
    expect(rest.reports.map(({ loss }) => loss)).toEqual([whole.reports[1].loss]);
  });

  it('refuses to go on after it diverged, and says what to do', () => {
    const { plan, weights, examples } = named('numbers');
    const terms = fullTraining({ rate: 10, batch: 2, epochs: 100 });
    expect(() => trained(plan, examples(), terms, weights)).toThrow(
      expect.objectContaining({
        name: 'DataError',
        message: expect.stringMatching(/diverged in epoch \d/),
        remedy: expect.stringMatching(/smaller rate/),
      }),
    );
  });

  it('refuses weights that its last step made infinite', () => {
    const { plan, weights, examples } = named('numbers');
    const far = examples();
    const { fill } = far;
    const huge: Examples = {
      ...far,
      fill: (target, at, row) => {
        fill(target, at, row);
        target.subarray(at, at + 4).forEach((value, k, own) => {
          own[k] = value * 1e20;
        });
      },
    };
    const terms = fullTraining({ batch: 5, epochs: 1 });
    expect(() => trained(plan, huge, terms, weights)).toThrow(/diverged in epoch 1/);
  });

  it('refuses a class without an output', () => {
    const { plan, weights, examples } = named('dense');
    const given = examples();
    const answers = { kind: 'classes', classes: Uint8Array.of(0, 1, 2, 3, 0, 1) } as const;
    const fill = () => {
      throw new Error('rows were read');
    };
    expect(() => trained(plan, { ...given, answers, fill }, fullTraining(), weights)).toThrow(
      /below the number of outputs: 3/,
    );
  });

  it('learns: the loss falls, and the accuracy is that of the outputs', () => {
    const { plan, examples } = named('convolution');
    const terms = fullTraining({ epochs: 60, batch: 5, rate: 0.05 });
    const { reports, weights } = trained(plan, examples(15), terms, initialWeights(plan, 4));
    expect(reports.at(-1)!.loss).toBeLessThan(0.2 * reports[0].loss);
    expect(accuracyOf(plan, weights, examples(15))).toBe(1);
    const losses = rowLosses(plan, weights, examples(15));
    expect(Math.max(...losses)).toBeLessThan(Math.log(2));
  });
});

/** Examples that an epoch meets in their own order. */
function inOrder(examples: Examples, { seed }: FullTraining, epoch: number): Examples {
  const order = epochOrder(examples.rows, seed, epoch);
  const { answers } = examples;
  if (answers.kind !== 'classes') throw new Error('for classes only');
  const classes = new Uint8Array(examples.rows);
  order.forEach((row, place) => {
    classes[row] = answers.classes[place];
  });
  return {
    rows: examples.rows,
    answers: { kind: 'classes', classes },
    fill: (target, at, row) => examples.fill(target, at, order.indexOf(row)),
  };
}

describe('outputs', () => {
  it('do not depend on how many rows go through together', () => {
    const { plan, weights, examples } = named('convolution');
    const all = outputsOf(plan, weights, examples(130));
    const engine = createEngine(plan, 1);
    engine.load(weights);
    for (const row of [0, 63, 64, 129]) {
      examples(130).fill(engine.inputs(), 0, row);
      expect(engine.forward(1)).toEqual(all.subarray(row * 3, row * 3 + 3));
    }
  });

  it('are the last layer on the activations before it', () => {
    const { plan, weights, examples } = named('convolution');
    const engine = createEngine(plan, 4);
    engine.load(weights);
    const values = valueCount(plan.input);
    for (let row = 0; row < 4; row++) examples().fill(engine.inputs(), row * values, row);
    const outputs = engine.forward(4);
    const input = engine.activations(0);
    expect(input).toEqual(engine.inputs().slice(0, 4 * values));
    for (const [block, kind] of [
      [3, 'dense'],
      [2, 'flattened'],
    ] as const) {
      const { start, rows, columns } = plan.blocks[block];
      const given = engine.activations(block);
      const made = Float64Array.from({ length: 4 * rows }, (_, k) => {
        const [row, unit] = [Math.floor(k / rows), k % rows];
        const at = start + unit * columns;
        let sum = weights[at + columns - 1];
        for (let c = 0; c < columns - 1; c++)
          sum += weights[at + c] * given[row * (columns - 1) + c];
        return sum;
      });
      const wanted = block === 3 ? outputs : engine.activations(3);
      const found = block === 3 ? made : made.map((value) => Math.max(value, 0));
      expect([kind, worst(found, wanted) < 1e-5]).toEqual([kind, true]);
    }
  });
});

describe('first weights', () => {
  it('are uniform on ±1/√inputs, those of a layer from the seed alone', () => {
    const image = imageValues({ height: 28, width: 28, channels: 1 });
    const weights = initialWeights(planNetwork(leNet, image, 10), 5);
    const bounds = [25, 150, 256, 120, 84].map((inputs) => 1 / Math.sqrt(inputs));
    const { blocks } = planNetwork(leNet, image, 10);
    for (const { index, start, rows, columns } of blocks) {
      const own = weights.subarray(start, start + rows * columns);
      const largest = Math.max(...own.map(Math.abs));
      expect(largest).toBeLessThanOrEqual(bounds[index]);
      expect(largest).toBeGreaterThan(0.95 * bounds[index]);
      expect(Math.abs(own.reduce((sum, w) => sum + w, 0) / own.length)).toBeLessThan(
        (4 * bounds[index]) / Math.sqrt(own.length),
      );
    }
    const fewer = initialWeights(planNetwork(leNet, image, 3), 5);
    expect(fewer.subarray(0, blocks[4].start)).toEqual(weights.subarray(0, blocks[4].start));
    expect(initialWeights(planNetwork(leNet, image, 10), 6)).not.toEqual(weights);
  });
});

describe('a trained network and its Fisher information', () => {
  it('are the same bits on every machine', () => {
    expect(networkDigest()).toBe(TRAINED_DIGEST);
  });
});
