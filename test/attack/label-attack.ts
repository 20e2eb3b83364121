import { auc } from '../../src/attack/auc.ts';
import { normalUpperTail } from '../../src/numeric/distributions.ts';
import { dd } from '../../src/numeric/double-double.ts';
import { incompleteBetaQuantile } from '../../src/numeric/incomplete-beta.ts';
import type { Guarantee } from '../../src/privacy/calibration.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/** Two neighbouring data sets, what would be released of each without noise, and the release itself. */
export interface Neighbours {
  readonly exact: readonly [without: Float64Array, within: Float64Array];
  /** A release of the one, or of the other. */
  release(side: 0 | 1, words: WordSource): Float64Array;
}

/** What an attacker who knows both data sets made of many releases. */
export interface LabelAttack {
  readonly auc: number;
  /** A standard error of it, from above (Birnbaum & Klose 1957). */
  readonly aucError: number;
  /** How far apart the two are in standard deviations of the noise, as the attacker measures it. */
  readonly separation: number;
  /**
   * By how much an (ε, δ) promise is broken for certain: the largest, over thresholds and both directions, of a rate's
   * lower confidence limit less e^ε times the other's upper one, less δ. Positive: the label is false.
   */
  readonly excess: number;
}

const THRESHOLDS = 25;
/** Thresholds are spread evenly over so many deviations either way. */
const FARTHEST = 3;
const CONFIDENCE = 1e-4;

/**
 * The likelihood-ratio attack on normal noise: the projection on the known difference in the metric of the noise. Noise
 * and thresholds are learned on one half of the releases, rates counted on the other.
 */
export function labelAttack(
  { epsilon, delta }: Guarantee,
  neighbours: Neighbours,
  releases: { readonly learned: number; readonly counted: number; readonly seed: number },
): LabelAttack {
  const { learned, counted, seed } = releases;
  const sides = [0, 1] as const;
  const words = sides.map((side) => seededWords(2 * seed + side));
  const draw = (side: 0 | 1, times: number) =>
    Array.from({ length: times }, () => neighbours.release(side, words[side]));
  const difference = neighbours.exact[1].map((x, e) => x - neighbours.exact[0][e]);
  const training = sides.map((side) => draw(side, learned));
  const direction = solved(covariance(training, neighbours.exact), difference);
  const score = (release: Float64Array) =>
    direction.reduce((sum, w, e) => sum + w * (release[e] - neighbours.exact[0][e]), 0);
  const seen = training
    .flat()
    .map(score)
    .sort((a, b) => a - b);
  const [others, members] = sides.map((side) => draw(side, counted).map(score));
  const above = (scores: readonly number[], t: number) => scores.filter((x) => x > t).length;
  const rate = Math.exp(epsilon);
  const excesses = Array.from({ length: THRESHOLDS }, (_, k) => {
    const share = normalUpperTail(FARTHEST * (1 - (2 * k) / (THRESHOLDS - 1)));
    const threshold = seen[Math.floor(share * seen.length)];
    const hits = above(members, threshold);
    const alarms = above(others, threshold);
    const pairs = [
      [hits, alarms],
      [counted - alarms, counted - hits],
      [alarms, hits],
      [counted - hits, counted - alarms],
    ];
    return Math.max(
      ...pairs.map(([a, b]) => lowerLimit(a, counted) - rate * upperLimit(b, counted) - delta),
    );
  });
  const area = auc(members, others);
  return {
    auc: area,
    aucError: Math.sqrt((area * (1 - area)) / counted),
    separation: Math.sqrt(direction.reduce((sum, w, e) => sum + w * difference[e], 0)),
    excess: Math.max(...excesses),
  };
}

/** The largest area under the ROC curve that (ε, δ) allows: TPR ≤ e^ε FPR + δ and 1 − FPR ≤ e^ε (1 − TPR) + δ. */
export function labelArea({ epsilon, delta }: Guarantee): number {
  const corner = (1 - delta) / (1 + Math.exp(epsilon));
  return (corner * (delta + 1 - corner) + (1 - delta - corner) * (2 - corner)) / 2 + delta;
}

/** Clopper & Pearson's lower limit of a probability, one-sided. */
export function lowerLimit(times: number, of: number): number {
  if (times === 0) return 0;
  const start = Math.log(times / (of - times + 1));
  const odds = incompleteBetaQuantile(dd(Math.log(CONFIDENCE)), times, of - times + 1, start).hi;
  return 1 / (1 + Math.exp(-odds));
}

function upperLimit(times: number, of: number): number {
  return 1 - lowerLimit(of - times, of);
}

/** Of the noise, over both sides, each about its own exact value; row-major. */
function covariance(
  training: readonly (readonly Float64Array[])[],
  exact: Neighbours['exact'],
): Float64Array {
  const width = exact[0].length;
  const sums = new Float64Array(width * width);
  const count = training.reduce((sum, releases) => sum + releases.length, 0);
  training.forEach((releases, side) => {
    for (const release of releases) {
      const noise = release.map((x, e) => x - exact[side][e]);
      for (let i = 0; i < width; i++) {
        if (noise[i] === 0) continue;
        for (let j = 0; j <= i; j++) sums[i * width + j] += (noise[i] * noise[j]) / count;
      }
    }
  });
  return sums;
}

/** What has no noise at all is seen this sharply. */
const SHARP = 1e-18;

/** C⁻¹v by Cholesky's factors, in place; C is given by its lower triangle. */
function solved(lower: Float64Array, vector: Float64Array): Float64Array {
  const width = vector.length;
  const x = vector.slice();
  for (let i = 0; i < width; i++) {
    const own = lower.subarray(i * width, i * width + width);
    for (let j = 0; j <= i; j++) {
      const other = lower.subarray(j * width, j * width + width);
      let sum = own[j] + (i === j ? SHARP : 0);
      for (let k = 0; k < j; k++) sum -= own[k] * other[k];
      own[j] = i === j ? Math.sqrt(Math.max(sum, SHARP)) : sum / other[j];
    }
    for (let k = 0; k < i; k++) x[i] -= own[k] * x[k];
    x[i] /= own[i];
  }
  for (let i = width - 1; i >= 0; i--) {
    for (let k = i + 1; k < width; k++) x[i] -= lower[k * width + i] * x[k];
    x[i] /= lower[i * width + i];
  }
  return x;
}
