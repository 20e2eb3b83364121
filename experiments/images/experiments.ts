import type { ExperimentResult, ReadingExperiment } from '../paper-result.ts';
import { imageResult } from './image-result.ts';
import {
  backbone,
  convolution,
  fourier,
  type ImageRow,
  pixels,
  tangent,
  withHeads,
} from './image-rows.ts';
import { type ImageSet, imageSets } from './image-sets.ts';
import { storedImages } from './image-store.ts';
import { type MapOutcome, oneMap } from './one-map.ts';
import { type ImagePlan, QUICK_IMAGES } from './plan.ts';

/** A data set and the maps that are tried on it. */
interface ImageTrial {
  readonly title: string;
  readonly set: ImageSet;
  /** The one map of a quick run; without it, a quick run leaves the trial out. */
  readonly quick?: ImageRow;
  rows(plan: ImagePlan): readonly ImageRow[];
}

const trials: Readonly<Record<string, ImageTrial>> = {
  fashion: {
    title: 'Fashion-MNIST, features without a file',
    set: imageSets.fashion,
    quick: convolution(253, 7),
    rows: () => [
      convolution(253, 7, 85.5),
      withHeads(convolution(991, 7, 89)),
      convolution(1999, 7, 90.3),
      pixels,
      fourier(1000),
      tangent(1000),
    ],
  },
  'fashion-backbone': {
    title: 'Fashion-MNIST, features of a trained network',
    set: imageSets.fashion,
    rows: () => [backbone('one', 96, 90), backbone('five', 96, 92)],
  },
  mnist: {
    title: 'MNIST',
    set: imageSets.mnist,
    quick: convolution(253, 7),
    rows: () => [convolution(253, 7), withHeads(convolution(991, 7, 98.3))],
  },
  cifar: {
    title: 'CIFAR-10',
    set: imageSets.cifar,
    quick: convolution(253, 6),
    rows: (plan) => [
      convolution(991, 6),
      ...(plan.pixels > 96
        ? [backbone('five', plan.pixels, plan.pixels === 160 ? 86 : 84)]
        : [backbone('one', plan.pixels, 80), backbone('five', plan.pixels, 84)]),
    ],
  },
};

export interface NamedImageExperiment {
  readonly title: string;
  /** Whether it is part of a quick run. */
  readonly hasQuick: boolean;
  run(plan: ImagePlan): ReadingExperiment;
}

/** Every experiment on images, by its own name. */
export const imageExperiments: Readonly<Record<string, NamedImageExperiment>> = Object.fromEntries(
  Object.entries(trials).map(([id, trial]) => [
    id,
    {
      title: trial.title,
      hasQuick: trial.quick !== undefined,
      run: (plan: ImagePlan) => imageExperiment(id, trial, plan),
    },
  ]),
);

async function* imageExperiment(
  id: string,
  { title, set, quick, rows: rowsOf }: ImageTrial,
  plan: ImagePlan,
): ReadingExperiment {
  const begun = performance.now();
  const most = plan.quick ? QUICK_IMAGES : Number.POSITIVE_INFINITY;
  yield { done: 0, what: 'reading' };
  const train = await storedImages(set, 'train', most);
  const test = await storedImages(set, 'test', most);
  const rows = plan.quick && quick !== undefined ? [quick] : rowsOf(plan);
  const weights = rows.map(weightOf);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const outcomes: MapOutcome[] = [];
  let before = 0;
  const soFar = (): ExperimentResult =>
    imageResult({
      ...{ id, title, set, plan, outcomes },
      images: { train: train.count, test: test.count },
      seconds: (performance.now() - begun) / 1000,
    });
  for (const [k, row] of rows.entries()) {
    const steps = oneMap(set, row, { train, test }, plan.seed);
    let next = await steps.next();
    for (; next.done !== true; next = await steps.next()) {
      const done = (before + next.value.done * weights[k]!) / all;
      yield { done, what: `${row.label}, ${next.value.what}` };
    }
    outcomes.push(next.value);
    before += weights[k]!;
  }
  return soFar();
}

/** How long a map takes, about, beside the others. */
function weightOf({ features: [terms] }: ImageRow): number {
  if (terms === undefined) return 1;
  if (terms.kind === 'backbone') return 10;
  return 'dimension' in terms ? Number(terms.dimension) / 700 : 1;
}
