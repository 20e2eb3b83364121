import { fullTraining } from '../../src/network/training.ts';
import type { ExperimentResult, ReadingExperiment, ResultTable } from '../paper-result.ts';
import { paperStatement } from '../paper-result.ts';
import {
  type CellSetting,
  computed,
  type FusionRun,
  firstWeights,
  fuseSeconds,
} from './fusion-run.ts';
import { type CellOutcome, cellOutcome, fixedFeatures } from './fusion-table.ts';
import { fisherMatters } from './matters.ts';
import { type FusionMethodName, fusionMethodOf, tableMethods } from './methods.ts';
import { type FisherContext, type FisherSet, onImages } from './on-images.ts';
import { type FisherPlan, trialSeeds } from './plan.ts';
import { meanPercent, percentSpread, percentText, signedPoints } from './points-text.ts';
import { type PrintedMethod, printedTableThree } from './printed.ts';
import { everyRow } from './shared-images.ts';
import { CLIENTS } from './table-two-run.ts';

const ALPHA = 0.1;
/** Step size of the clients (§5.2). */
const RATE = 0.001;
/** PFNM changes the network, so the paper leaves it out; DENSE takes too long here. */
const methods = tableMethods.filter((name) => name !== 'pfnm' && name !== 'dense');

interface PretrainedRun {
  readonly of: FisherSet;
  readonly plan: FisherPlan;
  readonly epochs: number;
  /** Accuracy of the first network of each seed. */
  readonly starts: readonly number[];
  readonly cells: readonly CellOutcome[];
  readonly ridge: number;
  readonly seconds: number;
}

/** Table 3's setting: clients that start from weights trained on a public half of the images. */
export async function* pretrainedExperiment(
  of: FisherSet,
  context: FisherContext,
): ReadingExperiment {
  const begun = performance.now();
  const { plan } = context;
  const seeds = trialSeeds(plan);
  const epochs = Math.ceil(plan.epochs / 3);
  const done = yield* onImages(
    of,
    context,
    ({ data, imageSeconds }) =>
      seeds.length * (imageSeconds * 0.5 * data.train.count * (plan.epochs + epochs + 10) + 110),
    async (run) => {
      const [publicHalf, privateHalf] = [0, 1].map((k) =>
        everyRow(run.data.train).filter((row) => row % 2 === k),
      );
      const found = seeds.map(async (seed) => {
        const start = await pretrained(run, publicHalf!, seed, plan.epochs);
        const setting: CellSetting = {
          ...{ alpha: ALPHA, clients: CLIENTS, seed, epochs, rate: RATE },
          start: { name: `public-half-e${plan.epochs}`, weights: start.weights },
          rows: privateHalf!,
        };
        return { start: start.accuracy, cell: await cellOutcome(run, setting, { methods }) };
      });
      const fixed = fixedFeatures(run, of.fixed.dimension, of.fixed.size);
      const [results, { accuracy }] = await Promise.all([Promise.all(found), fixed]);
      return {
        starts: results.map(({ start }) => start),
        cells: results.map(({ cell }) => cell),
        ridge: accuracy,
      };
    },
  );
  return pretrainedResult({
    ...done,
    of,
    plan,
    epochs,
    seconds: (performance.now() - begun) / 1000,
  });
}

async function pretrained(run: FusionRun, rows: Uint32Array, seed: number, epochs: number) {
  const { network, isAugmented, imageSeconds } = run;
  const name = `public-half-s${seed}-e${epochs}`;
  const { weights } = await computed(
    run,
    name,
    [`public half, seed ${seed}`, imageSeconds * rows.length * epochs],
    'train',
    {
      ...{ network, rows, isAugmented, hasFisher: false },
      start: firstWeights(run, seed),
      training: fullTraining({ epochs, seed }),
    },
  );
  const accuracy = await computed(
    run,
    `${name}-test`,
    ['public half, test images', fuseSeconds(run, 'average')],
    'accuracy',
    { network, weights },
  );
  return { weights, accuracy };
}

function pretrainedResult(run: PretrainedRun): ExperimentResult {
  const { plan, epochs, cells, starts, ridge, seconds } = run;
  const accuraciesOf = (name: FusionMethodName) => cells.map(({ fused }) => fused[name]!);
  const fisher = ['merge', 'diagonalPaper', 'kfacPaper'] as const;
  const plain = ['average', 'otfusion', 'regmean'] as const;
  const best = (names: readonly FusionMethodName[]) =>
    names
      .map((name) => ({ name, accuracy: meanPercent(accuraciesOf(name)) }))
      .reduce((top, one) => (one.accuracy > top.accuracy ? one : top));
  const [withFisher, without] = [best(fisher), best(plain)];
  const top = best(methods);
  const gains = fisher.map((name) => meanPercent(accuraciesOf(name)) - without.accuracy);
  return {
    id: 'pretrained',
    title: 'Table 3’s setting: from weights trained on a public half',
    about: `The paper starts from a ResNet-18 trained on Tiny-ImageNet, which is not available here. Here one half of the images of ${run.of.set.name} is public and ${run.of.networkName} is trained on it for ${plan.epochs} epochs; the other half is divided among ${CLIENTS} clients with α = ${ALPHA}, which train ${epochs} epochs with η = ${RATE}, as the paper does. ${plan.trials} ${plan.trials === 1 ? 'seed' : 'seeds'}. This is an easier start than the paper’s: the public images are of the same kind.`,
    seconds,
    tables: [
      {
        id: 'pretrained',
        title: `Accuracy on the test images of ${run.of.set.name}, in %`,
        of: 'method',
        columns: [{ label: 'accuracy' }],
        rows: [
          { label: 'the public network itself', cells: [{ measured: percentSpread(starts) }] },
          ...methods.map((name) => ({
            label: fusionMethodOf(name).label,
            cells: [{ measured: percentSpread(accuraciesOf(name)) }],
          })),
          {
            label: 'exact ridge on fixed features, all images',
            cells: [{ measured: { mean: 100 * ridge, count: 1 } }],
          },
        ],
      },
      printedTable(),
    ],
    figures: [],
    differences: [
      `No data set of Table 3 with its network is available here. The public network alone has ${percentText(meanPercent(starts))} %; the best fusion has ${percentText(top.accuracy)} % (${fusionMethodOf(top.name).label}).`,
    ],
    conclusions: [
      paperStatement({
        matter: fisherMatters.pretrained,
        where: '§5.2, Table 3',
        claim:
          'algorithms that use Fisher information, including FisherMerge, improve on FedAvg and other baselines',
        readings: [
          {
            as: 'each of FisherMerge, Diag and K-FAC above FedAvg, OTFusion and RegMean, from a public half of the same images',
            holds: gains.every((gain) => gain > 0),
            because: `${fisher.map((name, k) => `${fusionMethodOf(name).label} ${signedPoints(gains[k]!)}`).join(', ')} against ${fusionMethodOf(without.name).label}, ${percentText(without.accuracy)}; the best with Fisher information has ${percentText(withFisher.accuracy)}`,
          },
        ],
        because: 'Points of accuracy, means over the seeds. DENSE was not run.',
      }),
    ],
  };
}

/** Table 3 as printed. */
function printedTable(): ResultTable {
  const columns = Object.keys(printedTableThree['CIFAR-10']!) as PrintedMethod[];
  return {
    id: 'printed',
    title: 'Table 3 as printed',
    of: 'data set',
    columns: columns.map((label) => ({ label })),
    rows: Object.entries(printedTableThree).map(([label, values]) => ({
      label,
      cells: columns.map((name) => ({ text: 'not available here', printed: values[name]! })),
    })),
  };
}
