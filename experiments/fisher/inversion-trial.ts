import type { Examples } from '../../src/network/examples.ts';
import { initialWeights } from '../../src/network/initial-weights.ts';
import { layerGrams } from '../../src/network/kfac.ts';
import { leNet, perceptron } from '../../src/network/known-networks.ts';
import { imageValues, type NetworkPlan, planNetwork } from '../../src/network/network-plan.ts';
import { accuracyOf } from '../../src/network/outputs.ts';
import { train } from '../../src/network/train.ts';
import { fullTraining } from '../../src/network/training.ts';
import { drawnCodes, generatedImages, invertedCodes, type Known } from './inversion-attack.ts';
import {
  CLASSES,
  type Digits,
  digitExamples,
  examplesOfClass,
  imageOf,
  PIXELS,
  splitDigits,
  TARGET,
  unscaled,
} from './inversion-data.ts';
import { trainGenerator } from './inversion-prior.ts';
import { meanSimilarity, type Similarity } from './similarity.ts';

/** The sizes of a run. */
export interface InversionSizes {
  readonly digits: number;
  /** Digits of other classes that the first client has. */
  readonly others: number;
  readonly auxiliary: number;
  readonly epochs: number;
  readonly generatorEpochs: number;
  /** Images that the server generates, and its steps. */
  readonly images: number;
  readonly steps: number;
  /** Digits of the target class that nobody has seen, from the test data. */
  readonly unseen: number;
}

/** What the server has to go by. */
export type Way = 'nothing' | 'mean' | 'local' | 'aggregate' | 'factors' | 'bias';

/** The images of one way in one trial. */
export interface Rebuilt extends Similarity {
  readonly way: Way;
  /** Share of the images that a network trained on all digits takes for the target class. */
  readonly accuracy: number;
  /** Some of them, pixels from 0 to 1. */
  readonly shown: readonly Float32Array[];
}

export interface InversionTrial {
  readonly rebuilt: readonly Rebuilt[];
  /** Accuracy on the test data of the first client's network and of the aggregate. */
  readonly local: number;
  readonly aggregate: number;
}

export interface InversionSetting {
  readonly digits: Digits;
  readonly test: Digits;
  /** Weights of the network that judges. */
  readonly judge: Float32Array;
  readonly sizes: InversionSizes;
  readonly seed: number;
}

export interface TrialStep {
  readonly share: number;
  readonly what: string;
}

const SHOWN = 8;
const input = imageValues({ height: 28, width: 28, channels: 1 });

/** The network of clients and judge. */
export const digitPlan: NetworkPlan = planNetwork(leNet, input, CLASSES);

export function* inversionTrial({
  digits,
  test,
  judge,
  sizes,
  seed,
}: InversionSetting): Generator<TrialStep, InversionTrial> {
  const { clients, auxiliary } = splitDigits(digits, sizes.others, sizes.auxiliary, seed);
  const models: Float32Array[] = [];
  for (const [k, rows] of clients.entries()) {
    yield { share: (0.4 * k) / clients.length, what: `training client ${k + 1}` };
    models.push(trainedOn(digits, rows, sizes.epochs, seed));
  }
  const local = models[0]!;
  const aggregate = averaged(models, clients);
  const own = digitExamples(digits, clients[0]!);
  yield { share: 0.4, what: 'training the generator' };
  const generator = finished(trainGenerator(digits, auxiliary, sizes.generatorEpochs, seed));
  const attack = { images: sizes.images, steps: sizes.steps, seed };
  const known: Readonly<Record<'local' | 'aggregate' | 'factors', Known>> = {
    local: { plan: digitPlan, weights: local },
    aggregate: { plan: digitPlan, weights: aggregate },
    factors: {
      ...{ plan: digitPlan, weights: aggregate },
      factors: new Map(layerGrams(digitPlan, local, own).entries()),
    },
  };
  const unseen = Array.from(test.labels, (label, row) => ({ label, row }))
    .filter(({ label }) => label === TARGET)
    .slice(0, sizes.unseen)
    .map(({ row }) => imageOf(test, row));
  const rebuilt: Rebuilt[] = [];
  const add = (way: Way, images: readonly Float32Array[]) => {
    const accuracy = accuracyOf(digitPlan, judge, examplesOfClass(images, TARGET));
    const similarity = meanSimilarity(images, unseen);
    rebuilt.push({ way, accuracy, ...similarity, shown: images.slice(0, SHOWN) });
  };
  const made = (codes: Float32Array) => generatedImages(generator, known.local, codes);
  add('nothing', made(drawnCodes(attack)));
  add('mean', [meanOf(Array.from(auxiliary, (row) => imageOf(digits, row)))]);
  for (const [k, way] of (['local', 'aggregate', 'factors'] as const).entries()) {
    yield { share: 0.6 + 0.1 * k, what: 'rebuilding images' };
    add(way, made(finished(invertedCodes(known[way], generator, attack))));
  }
  add('bias', [meanInFactor(own)]);
  const tried = digitExamples(
    test,
    Uint32Array.from(test.labels, (_, row) => row),
  );
  return {
    rebuilt,
    local: accuracyOf(digitPlan, local, tried),
    aggregate: accuracyOf(digitPlan, aggregate, tried),
  };
}

/** Weights after training on some digits, by momentum as the clients of FedFisher do. */
export function trainedOn(
  digits: Digits,
  rows: Uint32Array,
  epochs: number,
  seed: number,
): Float32Array {
  const start = initialWeights(digitPlan, seed);
  if (rows.length === 0) return start;
  return finished(
    train(digitPlan, digitExamples(digits, rows), fullTraining({ epochs, seed }), start),
  );
}

function finished<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** The mean of the weights, each client by the number of its digits. */
function averaged(models: readonly Float32Array[], clients: readonly Uint32Array[]): Float32Array {
  const all = clients.reduce((sum, rows) => sum + rows.length, 0);
  const mean = new Float64Array(digitPlan.weights);
  models.forEach((weights, client) => {
    const share = clients[client]!.length / all;
    for (let k = 0; k < mean.length; k++) mean[k]! += share * weights[k]!;
  });
  return Float32Array.from(mean);
}

function meanOf(images: readonly Float32Array[]): Float32Array {
  return Float32Array.from({ length: PIXELS }, (_, k) => {
    return images.reduce((sum, image) => sum + image[k]!, 0) / images.length;
  });
}

/**
 * What stands in the K-FAC of a network whose first layer is dense and has biases: the last column of the first factor is the
 * mean of the inputs. No attack is needed, and the weights do not matter.
 */
function meanInFactor(own: Examples): Float32Array {
  const plan = planNetwork(perceptron(8), input, CLASSES);
  const [first] = layerGrams(plan, initialWeights(plan, 1), own);
  const width = PIXELS + 1;
  return Float32Array.from({ length: PIXELS }, (_, k) => unscaled(first![k * width + PIXELS]!));
}
