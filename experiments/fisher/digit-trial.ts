import { packedTriangle } from '../../src/fusion/packed-triangle.ts';
import { fullDistillation } from '../../src/network/distillation.ts';
import { initialWeights } from '../../src/network/initial-weights.ts';
import { fisherSteps } from '../../src/network/kfac.ts';
import { perceptron } from '../../src/network/known-networks.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues, type NetworkPlan, planNetwork } from '../../src/network/network-plan.ts';
import { likeliestClass, outputsOf } from '../../src/network/outputs.ts';
import { train } from '../../src/network/train.ts';
import { fullTraining } from '../../src/network/training.ts';
import { dirichletSites } from '../images/dirichlet.ts';
import { digitRidge } from './digit-ridge.ts';
import type { CellSite, FusionCell } from './fusion-cell.ts';
import { type FusionMethodName, fusionMethods } from './methods.ts';
import { rowsByClient } from './partition.ts';
import {
  DIGIT_CLASSES,
  dividedDigits,
  SIDE,
  type SmallDigits,
  smallDigitExamples,
} from './small-digits.ts';

/** Clients with digits of their own, and how they train. */
export interface DigitPlan {
  readonly clients: number;
  /** Of the Dirichlet distribution: the smaller, the more the clients differ. */
  readonly alpha: number;
  /** Units of the one hidden layer. */
  readonly units: number;
  readonly epochs: number;
  readonly seed: number;
}

/** A client: its digits by class, its losses, and how good its own network is. */
export interface DigitClient {
  readonly counts: readonly number[];
  readonly losses: readonly (readonly [epoch: number, loss: number])[];
  readonly accuracy?: number;
}

/** A way to one model, with what each digit is taken for: a row for each class. */
export interface DigitModel {
  readonly name: string;
  readonly label: string;
  readonly accuracy: number;
  readonly confusion: readonly (readonly number[])[];
}

/** What is known so far. */
export interface DigitOutcome {
  readonly clients: readonly DigitClient[];
  readonly models: readonly DigitModel[];
  readonly weights: number;
  readonly tested: number;
}

export interface DigitStep {
  readonly done: number;
  readonly what: string;
  readonly soFar: DigitOutcome;
}

/** Methods of one contact, none of which needs digits at the server. */
export const digitMethods = {
  average: 'average by rows',
  otfusion: 'OTFusion',
  pfnm: 'PFNM',
  merge: 'Fisher merging',
  regmeanAll: 'RegMean',
  diagonal: 'FedFisher, diagonal',
  kfac: 'FedFisher, K-FAC',
} as const satisfies Partial<Record<FusionMethodName, string>>;

const RATE = 0.02;

/** Trains every client, fuses their networks by every method, and puts two models of all digits beside them. */
export function* digitTrial(
  digits: SmallDigits,
  plan: DigitPlan,
): Generator<DigitStep, DigitOutcome, void> {
  const { train: own, test } = dividedDigits(digits, plan.seed);
  const labels = Uint8Array.from(own, (row) => digits.labels[row]!);
  const clientOf = dirichletSites(labels, DIGIT_CLASSES, plan.clients, plan.alpha, plan.seed);
  const rows = rowsByClient(clientOf, plan.clients).map((places) => places.map((k) => own[k]!));
  const network = perceptron(plan.units);
  const shape = planNetwork(network, imageValues({ height: SIDE, width: SIDE, channels: 1 }), 10);
  const judge = judgeOf(digits, test);
  const clients: DigitClient[] = rows.map((mine) => ({
    counts: countsOf(digits, mine),
    losses: [],
  }));
  const models: DigitModel[] = [];
  const all = plan.clients + 2;
  let done = 0;
  const step = (what: string, part = 0): DigitStep => ({
    done: (done + part) / all,
    what,
    soFar: {
      clients: [...clients],
      models: [...models],
      weights: shape.weights,
      tested: test.length,
    },
  });
  const training = fullTraining({ epochs: plan.epochs, batch: 16, rate: RATE, seed: plan.seed });
  const start = initialWeights(shape, plan.seed);

  const sites: CellSite[] = [];
  for (const [k, mine] of rows.entries()) {
    const examples = smallDigitExamples(digits, mine);
    const losses: [number, number][] = [];
    const steps = train(shape, examples, training, start);
    let next = steps.next();
    for (; next.done !== true; next = steps.next()) {
      const { epoch, epochs, loss } = next.value;
      if (Number.isInteger(epoch)) losses.push([epoch, loss]);
      clients[k] = { ...clients[k]!, losses: [...losses] };
      yield step(`client ${k + 1}, epoch ${Math.ceil(epoch)} of ${epochs}`, epoch / epochs);
    }
    const weights = next.value;
    done++;
    if (mine.length === 0) continue;
    const { accuracy } = judge('', '', network, weights);
    clients[k] = { ...clients[k]!, accuracy };
    sites.push(siteOf(shape, weights, clients[k]!, examples));
    yield step(`client ${k + 1}, Fisher information`);
  }

  const cell: FusionCell = {
    ...{ network, plan: shape, sites, distillation: fullDistillation(), report: () => {} },
    ...{ sentDiagonals: () => sites, sentFactors: () => sites },
    validate: () => {
      throw new Error('no method here needs validation');
    },
  };
  for (const [name, label] of Object.entries(digitMethods)) {
    yield step(`fusing: ${label}`, models.length / 8);
    const fused = fusionMethods[name as FusionMethodName].fuse(cell, new Float64Array(0));
    models.push(judge(name, label, fused.network, Float32Array.from(fused.weights)));
  }
  done++;
  yield step('exact ridge on fixed features');
  models.push(
    judgedBy('ridge', 'exact ridge, fixed features', digits, test, digitRidge(digits, rows, test)),
  );
  const pooled = train(shape, smallDigitExamples(digits, own), training, start);
  let next = pooled.next();
  for (; next.done !== true; next = pooled.next()) {
    const { epoch, epochs } = next.value;
    yield step(`all digits in one place, epoch ${Math.ceil(epoch)} of ${epochs}`, epoch / epochs);
  }
  models.push(judge('pooled', 'network of all digits in one place', network, next.value));
  return step('').soFar;
}

function countsOf({ labels }: SmallDigits, rows: Uint32Array): number[] {
  const counts = new Array<number>(DIGIT_CLASSES).fill(0);
  for (const row of rows) counts[labels[row]!]!++;
  return counts;
}

/** A trained client as the servers take it. */
function siteOf(
  plan: NetworkPlan,
  weights: Float32Array,
  { counts }: DigitClient,
  examples: ReturnType<typeof smallDigitExamples>,
): CellSite {
  const steps = fisherSteps(plan, weights, examples);
  let next = steps.next();
  while (next.done !== true) next = steps.next();
  const { diagonal, factors } = next.value;
  return {
    rows: examples.rows,
    weights: Float64Array.from(weights),
    classCounts: Float64Array.from(counts),
    fisher: diagonal,
    factors: factors.map(({ inputs, outputs }, k) => {
      const { columns, rows } = plan.blocks[k]!;
      return { inputs: packedTriangle(inputs, columns), outputs: packedTriangle(outputs, rows) };
    }),
  };
}

/** How good a network is on the digits that no client has. */
function judgeOf(digits: SmallDigits, test: Uint32Array) {
  const examples = smallDigitExamples(digits, test);
  const input = imageValues({ height: SIDE, width: SIDE, channels: 1 });
  return (name: string, label: string, network: Network, weights: Float32Array): DigitModel => {
    const plan = planNetwork(network, input, DIGIT_CLASSES);
    const outputs = outputsOf(plan, weights, examples);
    const said = Uint8Array.from(test, (_, row) =>
      likeliestClass(outputs, row * DIGIT_CLASSES, DIGIT_CLASSES),
    );
    return judgedBy(name, label, digits, test, said);
  };
}

function judgedBy(
  name: string,
  label: string,
  { labels }: SmallDigits,
  test: Uint32Array,
  said: Uint8Array,
): DigitModel {
  const confusion = Array.from({ length: DIGIT_CLASSES }, () =>
    new Array<number>(DIGIT_CLASSES).fill(0),
  );
  let right = 0;
  test.forEach((row, k) => {
    confusion[labels[row]!]![said[k]!]!++;
    if (labels[row] === said[k]) right++;
  });
  return { name, label, accuracy: right / test.length, confusion };
}
