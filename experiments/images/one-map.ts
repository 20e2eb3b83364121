import { conclude } from '../../src/conclude.ts';
import { defined } from '../../src/defined.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  regressionOf,
  totalDigest,
} from '../../src/federate.ts';
import { createPredictor } from '../../src/model/predict.ts';
import { nodeHost } from '../../src/node/compute/host.ts';
import { useNativeHash } from '../../src/node/compute/native-hash.ts';
import { createKernels } from '../../src/numeric/kernels.ts';
import { loadStudyFiles } from '../../src/rows/load-pinned.ts';
import type { Summary } from '../../src/statistic/cross-product.ts';
import type { ImageStudy } from '../../src/study/image-study.ts';
import { numberedSite, signedBytes } from '../ridge/exact.ts';
import { dirichletSites } from './dirichlet.ts';
import type { ImageRow } from './image-rows.ts';
import type { ImageSet } from './image-sets.ts';
import type { StoredImages } from './image-store.ts';
import { BATCH, mappedImages } from './mapped-images.ts';
import { sumsBySite } from './sums-by-site.ts';

/** FedFisher's sites and shares; a last partition has all images at one site. */
export const SITES = 5;
export const alphas = [0.05, 0.1, 0.2, 1] as const;

/** A model of a total. */
interface Model {
  /** Share of the test images whose most probable class is right: what `predict` says. */
  readonly accuracy: number;
  /** The same for the class with the largest fitted indicator; 0 where the model fits none. */
  readonly fittedAccuracy: number;
  readonly ridge: number;
  /** Processor seconds. */
  readonly solve: number;
}

/** What one feature map does on one data set. */
export interface MapOutcome extends Omit<Model, 'solve'> {
  readonly row: ImageRow;
  /** Columns of the model, with the constant. */
  readonly width: number;
  /** Digest of the total of each α, and of one site with all images. */
  readonly digests: readonly string[];
  /** The further models of the row. */
  readonly heads: readonly Model[];
  /** Bytes of the largest signed contribution. */
  readonly bytes: number;
  /** Processor seconds: the map of all training images; the sums of one partition; the model from the sums. */
  readonly seconds: { readonly map: number; readonly sums: number; readonly solve: number };
}

export interface ImageParts {
  readonly train: StoredImages;
  readonly test: StoredImages;
}

export type ImageSteps<T> = AsyncGenerator<
  { readonly done: number; readonly what: string },
  T,
  void
>;

/** The one study of a data set and a map; λ by generalised cross-validation from the sums alone. */
export function imageStudy(
  { name, images }: Pick<ImageSet, 'name' | 'images'>,
  { features }: ImageRow,
): ImageStudy {
  return {
    schema: 'suffice/study@1',
    name,
    data: images,
    features,
    fusion: { kind: 'ridge', ridge: 'gcv' },
    arithmetic: 'exact',
  };
}

/** Maps the images once, adds them up by site under every α and at one site, solves and counts what is right among the test images. */
export async function* oneMap(
  set: Pick<ImageSet, 'name' | 'images'>,
  row: ImageRow,
  { train, test }: ImageParts,
  seed: number,
  tried: readonly number[] = alphas,
): ImageSteps<MapOutcome> {
  useNativeHash();
  const study = imageStudy(set, row);
  await loadStudyFiles(study, nodeHost);
  const agreed = agreement(study);
  const { design, layout } = regressionOf(agreed);
  const timer = processorSeconds();
  const mapping = mappedImages(design, train);
  let mapped = mapping.next();
  for (; mapped.done !== true; mapped = mapping.next()) {
    yield { done: 0.5 * mapped.value, what: 'features' };
  }
  const map = timer();
  const kernels = createKernels();
  const grams = await nodeHost.grams?.({
    columns: layout.columns.length,
    bytes: Number.POSITIVE_INFINITY,
  });
  const partitions = [
    ...tried.map((alpha) =>
      dirichletSites(train.labels, set.images.classes.length, SITES, alpha, seed),
    ),
    new Uint8Array(train.count),
  ];
  const digests: string[] = [];
  let last: ReturnType<typeof added> | undefined;
  for (const [k, siteOf] of partitions.entries()) {
    const adding = sumsBySite(agreed, mapped.value, siteOf, SITES, {
      kernels,
      ...defined({ grams }),
    });
    let next = adding.next();
    for (; next.done !== true; next = adding.next()) {
      const share = (k + next.value) / partitions.length;
      yield { done: 0.5 + 0.3 * share, what: `sums, ${partitionText(k)}` };
    }
    last = added(agreed, next.value);
    digests.push(totalDigest(agreed, last.total.total));
  }
  const sums = timer() / partitions.length;
  yield { done: 0.8, what: 'solving' };
  const bytes = Math.max(...last!.sent.map(signedBytes));
  const models: Model[] = [];
  const fusions = [study.fusion, ...(row.heads ?? []).map(({ fusion }) => fusion)];
  for (const [k, fusion] of fusions.entries()) {
    const solving = solved({ ...study, fusion }, last!, test);
    let next = solving.next();
    for (; next.done !== true; next = solving.next()) {
      yield { done: 0.8 + (0.2 * (k + next.value)) / fusions.length, what: 'test images' };
    }
    models.push(next.value);
  }
  const [model, ...others] = models;
  return {
    ...{ row, digests, bytes, ...model! },
    width: layout.columns.length - layout.responses,
    heads: others,
    seconds: { map, sums, solve: model!.solve },
  };
}

/** The total of the sites' contributions; a site without rows sends none. */
function added(agreed: Agreement, summaries: readonly Summary[]) {
  const sites = summaries.flatMap((summary, k) =>
    summary.rows === 0 ? [] : [{ name: numberedSite(k), summary }],
  );
  const sent = sites.map(({ name, summary }) => contribution(agreed, name, summary));
  const total = collect(agreed, sent);
  if ('problem' in total) throw new Error(total.problem);
  return { total, sent, lines: sites.map(({ name, summary }) => ({ name, n: summary.rows })) };
}

export function partitionText(k: number): string {
  return k < alphas.length ? `α = ${alphas[k]}` : 'one site';
}

/** The model of a total, and what is right among the test images by the product's own predictor. */
function* solved(
  study: ImageStudy,
  { total, lines }: ReturnType<typeof added>,
  test: StoredImages,
): Generator<number, Model, void> {
  const timer = processorSeconds();
  const found = conclude(agreement(study), total, { sites: lines, audience: 'owner' });
  if ('problem' in found) throw new Error(found.problem);
  const solve = timer();
  const predictor = createPredictor(study, found.report);
  const probable = predictor.names.indexOf('.class');
  const fitted = [...predictor.names.keys()].filter((k) =>
    predictor.names[k]!.startsWith('.fitted.'),
  );
  let [right, rightFitted] = [0, 0];
  for (let from = 0; from < test.count; from += BATCH) {
    const to = Math.min(test.count, from + BATCH);
    const { rows, columns } = test.block(from, to);
    const origin = { file: 'test', rowOf: (r: number) => from + r + 1 };
    const predictions = predictor.predict({ rows, columns: columns.slice(1) }, origin);
    const scores = fitted.map((k) => predictions[k]!);
    for (let r = 0; r < rows; r++) {
      const label = test.labels[from + r]!;
      if (predictions[probable]![r] === label) right++;
      if (largestAt(scores, r) === label) rightFitted++;
    }
    yield to / test.count;
  }
  return {
    accuracy: right / test.count,
    fittedAccuracy: rightFitted / test.count,
    ridge: found.report.ridge?.value ?? 0,
    solve,
  };
}

/** The place of the largest score of a row, the first of equals; −1 without scores. */
function largestAt(scores: readonly Float64Array[], row: number): number {
  let best = scores.length === 0 ? -1 : 0;
  for (let k = 1; k < scores.length; k++) if (scores[k]![row]! > scores[best]![row]!) best = k;
  return best;
}

/** Processor seconds since the last call; of all threads, so that a busy machine does not count. */
function processorSeconds(): () => number {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return (user + system) / 1e6;
  };
}
