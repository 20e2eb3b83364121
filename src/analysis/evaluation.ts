import type { Failure } from '../failure.ts';
import { type ClassHistogram, type EvaluationCounts, sum } from './evaluation-counts.ts';
import {
  type Confidence,
  confidenceOf,
  logLossOf,
  middle,
  type ReliabilityBin,
  reliabilityOf,
} from './evaluation-figures.ts';
import { ELSEWHERE, type ManyClassCounts, type PredictedClass } from './many-class-counts.ts';

/** How well a model predicts the classes of held-out rows, from the counts of all sites. */
export interface Evaluation {
  readonly about: 'evaluation';
  readonly model: string;
  readonly label: string;
  readonly levels: readonly string[];
  readonly scores: 'probability' | 'score';
  readonly bins: number;
  /** Whether a site merged small counts with their neighbours; then no number below is exact. */
  readonly merged: boolean;
  /** Number of the sites' files. */
  readonly files: number;
  readonly n: number;
  readonly accuracy: number;
  /** Present where few wrong, or few right, predictions of a class may be hidden: the true accuracy is within it. */
  readonly 'accuracy.margin'?: number;
  /** Rows by their class, then by the class predicted. */
  readonly confusion: readonly (readonly number[])[];
  /** With many classes: rows of each class that were predicted to be of others, few of each. */
  readonly elsewhere?: readonly number[];
  readonly classes: readonly {
    readonly level: string;
    readonly n: number;
    /** Share of the rows predicted to be of the class that really are; absent without such predictions. */
    readonly precision?: number;
    /** Share of the class's rows that were predicted to be of it; absent without rows. */
    readonly recall?: number;
    /** Harmonic mean of precision and recall. */
    readonly f1?: number;
  }[];
  /** Mean of −ln of the probability that a row's own class had, at the middles of the bins. */
  readonly logLoss: number;
  /** With many classes: how often the model is right, by how sure it is. */
  readonly confidence?: Confidence;
  /** One per level against the rest; with two levels only the second; none with many classes. */
  readonly curves: readonly Curve[];
}

export interface Curve {
  readonly level: string;
  /** Area under the ROC curve by trapezoids; the unbinned one is within `auc.margin` of it. */
  readonly auc?: number;
  readonly 'auc.margin'?: number;
  /** Mean squared distance of 0 or 1 from the middle of the bin. */
  readonly brier: number;
  readonly reliability: readonly ReliabilityBin[];
  /** Platt's logit(observed) = intercept + slope · logit(predicted): 0 and 1 for calibrated probabilities. */
  readonly recalibration?: { readonly intercept: number; readonly slope: number };
}

/** Counts of a site, of any form. */
export type SiteCounts = EvaluationCounts | ManyClassCounts;

/** The evaluation from the counts of several sites, which must have the same model, bins and form. */
export function evaluation(files: readonly SiteCounts[]): Evaluation | Failure {
  const [first] = files;
  const odd = files.find((file) => !isAlike(first, file));
  if (odd !== undefined) {
    const reason = odd.model === first.model ? 'bins' : 'models';
    return {
      problem: `the counts are of different ${reason}`,
      remedy: 'give files that were made with one model and one number of bins',
      option: { name: 'bins' },
    };
  }
  const { model, label, levels, scores, bins } = first;
  const n = sum(files.map((file) => file.n));
  if (n === 0) return { problem: 'no rows were counted', remedy: 'give files with rows' };
  const merged = files.some((file) => file.merged);
  const head = { model, label, levels, scores, bins, merged, files: files.length, n };
  const many = files.flatMap((file) => (file.schema === 'suffice/evaluation@2' ? [file] : []));
  const few = files.flatMap((file) => (file.schema === 'suffice/evaluation@1' ? [file] : []));
  const shown = few.length > 0 ? fewClasses(few) : manyClasses(many);
  const { confusion } = shown;
  return {
    about: 'evaluation',
    ...head,
    accuracy: sum(levels.map((_, k) => confusion[k][k])) / n,
    ...shown,
    classes: levels.map((level, k) => classFigures(level, k, confusion, shown.elsewhere?.[k] ?? 0)),
    logLoss: logLossOf(files),
  };
}

type Shown = Pick<
  Evaluation,
  'confusion' | 'elsewhere' | 'accuracy.margin' | 'confidence' | 'curves'
>;

function fewClasses(files: readonly EvaluationCounts[]): Shown {
  const [first] = files;
  const histograms = first.histograms.map(({ level }, k) => ({
    level,
    own: added(files.map((file) => file.histograms[k].own)),
    others: added(files.map((file) => file.histograms[k].others)),
  }));
  return {
    confusion: first.levels.map((_, i) => added(files.map((file) => file.confusion[i]))),
    curves: histograms.map(curve),
  };
}

function manyClasses(files: readonly ManyClassCounts[]): Shown {
  const { levels } = files[0];
  const all = files.flatMap(({ classes, smallest }) =>
    classes.map((one, actual) => ({ ...one, actual, hidden: smallest - 1 })),
  );
  const ofClass = (actual: number) => all.filter((one) => one.actual === actual);
  const predictedAs = (actual: number, predicted: number) => {
    const wrong = ofClass(actual).flatMap((one) => one.wrong);
    return sum(wrong.map((one) => (one.predicted === predicted ? one.rows : 0)));
  };
  const isOneSided = ({ right, wrong }: PredictedClass) => (right === 0) !== (wrong.length === 0);
  const hidden = sum(all.filter(isOneSided).map((one) => one.hidden));
  const n = sum(files.map((file) => file.n));
  return {
    confusion: levels.map((_, i) =>
      levels.map((__, j) =>
        i === j ? sum(ofClass(i).map(({ right }) => right)) : predictedAs(i, j),
      ),
    ),
    elsewhere: levels.map((_, i) => predictedAs(i, ELSEWHERE)),
    ...(hidden > 0 ? { 'accuracy.margin': hidden / n } : {}),
    confidence: confidenceOf(files),
    curves: [],
  };
}

function classFigures(
  level: string,
  k: number,
  confusion: readonly (readonly number[])[],
  elsewhere: number,
): Evaluation['classes'][number] {
  const right = confusion[k][k];
  const n = sum(confusion[k]) + elsewhere;
  const predicted = sum(confusion.map((row) => row[k]));
  return {
    level,
    n,
    ...(predicted > 0 ? { precision: right / predicted } : {}),
    ...(n > 0 ? { recall: right / n } : {}),
    ...(n + predicted > 0 ? { f1: (2 * right) / (n + predicted) } : {}),
  };
}

function isAlike(a: SiteCounts, b: SiteCounts): boolean {
  return (
    a.schema === b.schema &&
    a.model === b.model &&
    a.study === b.study &&
    a.label === b.label &&
    a.scores === b.scores &&
    a.bins === b.bins &&
    a.levels.join('\n') === b.levels.join('\n')
  );
}

function added(lists: readonly (readonly number[])[]): number[] {
  return lists[0].map((_, k) => sum(lists.map((list) => list[k])));
}

function curve({ level, own, others }: ClassHistogram): Curve {
  const bins = own.length;
  const pairs = sum(own) * sum(others);
  let below = 0;
  let above = 0;
  let tied = 0;
  let distance = 0;
  own.forEach((hits, bin) => {
    const misses = others[bin];
    above += hits * below;
    tied += hits * misses;
    below += misses;
    const predicted = middle(bin, bins);
    distance += hits * (1 - predicted) ** 2 + misses * predicted ** 2;
  });
  return {
    level,
    ...(pairs > 0 ? { auc: (above + tied / 2) / pairs, 'auc.margin': tied / 2 / pairs } : {}),
    brier: distance / (sum(own) + sum(others)),
    reliability: reliabilityOf(own, others),
    ...recalibrated(own, others, (bin) => middle(bin, bins)),
  };
}

/**
 * Logistic regression of the level on the logit of the bin's middle, by Newton's method; absent where the bins separate
 * the classes.
 */
function recalibrated(
  own: readonly number[],
  others: readonly number[],
  middle: (bin: number) => number,
): Pick<Curve, 'recalibration'> {
  const filled = (counts: readonly number[]) => [...counts.keys()].filter((bin) => counts[bin] > 0);
  const [hits, misses] = [filled(own), filled(others)];
  if (hits.length === 0 || misses.length === 0) return {};
  if (misses.at(-1)! <= hits[0] || hits.at(-1)! <= misses[0]) return {};
  const logits = own.map((_, bin) => Math.log(middle(bin) / (1 - middle(bin))));
  const fitted = (a: number, b: number) => logits.map((x) => 1 / (1 + Math.exp(-(a + b * x))));
  const logLik = (a: number, b: number) =>
    sum(
      logits.map((x, bin) => {
        const score = a + b * x;
        const ofMiss = Math.max(0, score) + Math.log1p(Math.exp(-Math.abs(score)));
        return own[bin] * (score - ofMiss) - others[bin] * ofMiss;
      }),
    );
  let [intercept, slope] = [0, 0];
  for (let step = 0; step < MOST_STEPS; step++) {
    let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0];
    fitted(intercept, slope).forEach((p, bin) => {
      const n = own[bin] + others[bin];
      const [rest, weight, x] = [own[bin] - n * p, n * p * (1 - p), logits[bin]];
      g0 += rest;
      g1 += rest * x;
      h00 += weight;
      h01 += weight * x;
      h11 += weight * x * x;
    });
    const determinant = h00 * h11 - h01 * h01;
    const da = (h11 * g0 - h01 * g1) / determinant;
    const db = (h00 * g1 - h01 * g0) / determinant;
    let share = 1;
    const before = logLik(intercept, slope);
    while (share > 1e-6 && logLik(intercept + share * da, slope + share * db) < before - 1e-9)
      share /= 2;
    intercept += share * da;
    slope += share * db;
    if (Math.abs(da) + Math.abs(db) < 1e-12 * (1 + Math.abs(intercept) + Math.abs(slope))) break;
  }
  if (!Number.isFinite(intercept) || !Number.isFinite(slope)) return {};
  return { recalibration: { intercept, slope } };
}

const MOST_STEPS = 100;
