import type { Failure } from '../failure.ts';
import { type ClassHistogram, type EvaluationCounts, sum } from './evaluation-counts.ts';

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
  /** Rows by their class, then by the class predicted. */
  readonly confusion: readonly (readonly number[])[];
  readonly classes: readonly {
    readonly level: string;
    readonly n: number;
    /** Share of the rows predicted to be of the class that really are; absent without such predictions. */
    readonly precision?: number;
    /** Share of the class's rows that were predicted to be of it; absent without rows. */
    readonly recall?: number;
  }[];
  /** One per level against the rest; with two levels only the second. */
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

export interface ReliabilityBin {
  readonly low: number;
  readonly high: number;
  /** The middle of the bin. */
  readonly predicted: number;
  /** Share of its rows that are of the level. */
  readonly observed: number;
  readonly n: number;
}

/** The evaluation from the counts of several sites, which must have the same model and bins. */
export function evaluation(files: readonly EvaluationCounts[]): Evaluation | Failure {
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
  const confusion = levels.map((_, i) => added(files.map((file) => file.confusion[i])));
  const histograms = first.histograms.map(({ level }, k) => ({
    level,
    own: added(files.map((file) => file.histograms[k].own)),
    others: added(files.map((file) => file.histograms[k].others)),
  }));
  return {
    about: 'evaluation',
    model,
    label,
    levels,
    scores,
    bins,
    merged: files.some(({ merged }) => merged),
    files: files.length,
    n,
    accuracy: sum(levels.map((_, k) => confusion[k][k])) / n,
    confusion,
    classes: levels.map((level, k) => {
      const size = sum(confusion[k]);
      const predicted = sum(confusion.map((row) => row[k]));
      return {
        level,
        n: size,
        ...(predicted > 0 ? { precision: confusion[k][k] / predicted } : {}),
        ...(size > 0 ? { recall: confusion[k][k] / size } : {}),
      };
    }),
    curves: histograms.map(curve),
  };
}

function isAlike(a: EvaluationCounts, b: EvaluationCounts): boolean {
  return (
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
  const middle = (bin: number) => (bin + 0.5) / bins;
  const pairs = sum(own) * sum(others);
  let below = 0;
  let above = 0;
  let tied = 0;
  let distance = 0;
  const reliability: ReliabilityBin[] = [];
  own.forEach((hits, bin) => {
    const misses = others[bin];
    above += hits * below;
    tied += hits * misses;
    below += misses;
    const predicted = middle(bin);
    distance += hits * (1 - predicted) ** 2 + misses * predicted ** 2;
    const n = hits + misses;
    if (n === 0) return;
    const [low, high] = [bin / bins, (bin + 1) / bins];
    reliability.push({ low, high, predicted, observed: hits / n, n });
  });
  return {
    level,
    ...(pairs > 0 ? { auc: (above + tied / 2) / pairs, 'auc.margin': tied / 2 / pairs } : {}),
    brier: distance / (sum(own) + sum(others)),
    reliability,
    ...recalibrated(own, others, middle),
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
