import type { Rows } from '../data/generator.ts';

/** Rows scaled to length 1 together with their response, features row-major: the input of one-shot fusion before truncation. Padded with rows of 0 to a multiple of four. */
export interface ScaledRows {
  readonly count: number;
  readonly columns: number;
  /** Rounded to 24 bits, which no figure shows: half the memory to read, a hundred times per run. */
  readonly features: Float32Array;
  readonly response: Float64Array;
}

export function scaledRows(sites: readonly Rows[]): ScaledRows {
  const columns = sites[0]!.features.length;
  const count = sites.reduce((sum, site) => sum + site.count, 0);
  const whole = Math.ceil(count / 4) * 4;
  const features = new Float32Array(whole * columns);
  const response = new Float64Array(whole);
  let at = 0;
  for (const site of sites) {
    for (let r = 0; r < site.count; r++, at++) {
      const row = features.subarray(at * columns, (at + 1) * columns);
      for (let j = 0; j < columns; j++) row[j] = site.features[j]![r]!;
      // Not by hypot, whose last bit the standard does not fix.
      const scale = 1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0));
      for (let j = 0; j < columns; j++) row[j]! *= scale;
      response[at] = site.response[r]! * scale;
    }
  }
  return { count, columns, features, response };
}

/** Settings of DP-FedAvg. */
export interface DpFedAvgPlan {
  readonly rounds: number;
  /** Clipping bound of residuals, over the bound on responses By = 2.5/√d. */
  readonly clip: number;
  /** η in w ← w + η·(d/n)·Σ a·residual. */
  readonly step: number;
}

/**
 * Fixed before any of these data were drawn. Rounds: the paper's. Step ½: rows of length 1 have mean curvature 1 in units of
 * n/d, so it is half a Newton step, and stable unless a direction has four times the mean. Clip ¼: 0.6 public standard
 * deviations of the response, assuming that the model explains most of it (both as in §2.6 of the research).
 */
export const untuned: DpFedAvgPlan = { rounds: 100, clip: 1 / 4, step: 1 / 2 };

/**
 * The same with a step of 0.1, for every ε: no worse anywhere, and at ε = 0.1 the noise of a step of ½ carries the model farther
 * from the optimum than 0 is.
 */
export const shortSteps: DpFedAvgPlan = { rounds: 100, clip: 1 / 4, step: 0.1 };

/** The plans that are tried when a plan is chosen by the test rows. */
export const tuningGrid: readonly DpFedAvgPlan[] = [20, 100].flatMap((rounds) =>
  [1 / 32, 1 / 16, 1 / 8].flatMap((clip) =>
    [0.1, 0.25, 0.5].map((step) => ({ rounds, clip, step })),
  ),
);

/**
 * DP-FedAvg with one full-batch step per round: a row changes a round's sum by at most the clip, R rounds of μ/√R give μ
 * (Gaussian composition), and the last half of the iterates is averaged. `noises` is 1 for one noise on the sum and K for
 * one at each site. It knows the exact number of rows, which favours it.
 */
export function dpFedAvg(
  rows: ScaledRows,
  { rounds, clip, step }: DpFedAvgPlan,
  { mu, noises }: { readonly mu: number; readonly noises: number },
  normal: () => number,
): Float64Array {
  const d = rows.columns;
  const bound = (clip * 2.5) / Math.sqrt(d);
  const deviation = (bound / (mu / Math.sqrt(rounds))) * Math.sqrt(noises);
  const rate = (step * d) / rows.count;
  const weights = new Float64Array(d);
  const mean = new Float64Array(d);
  const kept = Math.ceil(rounds / 2);
  for (let round = 0; round < rounds; round++) {
    const gradient = clippedGradient(rows, weights, bound);
    for (let j = 0; j < d; j++) weights[j]! += rate * (gradient[j]! + deviation * normal());
    if (round >= rounds - kept) for (let j = 0; j < d; j++) mean[j]! += weights[j]! / kept;
  }
  return mean;
}

/** Σ a·clip(b − a·w, ±bound), four rows at a time. */
function clippedGradient(rows: ScaledRows, weights: Float64Array, bound: number): Float64Array {
  const { columns: d, features, response } = rows;
  const gradient = new Float64Array(d);
  const clip = (v: number) => Math.max(-bound, Math.min(bound, v));
  for (let r = 0; r < response.length; r += 4) {
    const at0 = r * d;
    const at1 = at0 + d;
    const at2 = at1 + d;
    const at3 = at2 + d;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let j = 0; j < d; j++) {
      const w = weights[j]!;
      s0 += features[at0 + j]! * w;
      s1 += features[at1 + j]! * w;
      s2 += features[at2 + j]! * w;
      s3 += features[at3 + j]! * w;
    }
    const r0 = clip(response[r]! - s0);
    const r1 = clip(response[r + 1]! - s1);
    const r2 = clip(response[r + 2]! - s2);
    const r3 = clip(response[r + 3]! - s3);
    for (let j = 0; j < d; j++) {
      gradient[j]! +=
        features[at0 + j]! * r0 +
        features[at1 + j]! * r1 +
        (features[at2 + j]! * r2 + features[at3 + j]! * r3);
    }
  }
  return gradient;
}
