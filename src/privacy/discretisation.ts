import type { Mechanism } from './mechanism.ts';

const unit = 2 ** 32;

/**
 * How much more δ discrete Gaussians may cost than the normals they stand for, over all releases of a promise: at most
 * Σ (1 + μ)²/4s² over entries, s their standard deviation in integers.
 *
 * δ is Σ max(0, f(k) − e^ε f(k + Δ)) over whole k instead of the integral, f the density (its sum over whole numbers is
 * 1 but for e^(−2π²s²)). One entry at a time this is the midpoint rule: where max(0, ·) bends it falls short of the
 * integral, elsewhere it errs by at most ⅛∫|second derivative| (Peano). As e^ε f(k + Δ) < f(k) wherever it counts, that
 * is at most E(|z² − 1| + |(z + μ)² − 1|)/8s² ≤ (1 + μ)²/4s²: no e^ε comes in, as it would through total variation.
 */
export function discretisationSlack(mechanisms: Iterable<Mechanism>): number {
  let slack = 0;
  for (const { mu, columns, sigma } of mechanisms) {
    const pairs = (columns * (columns - 1)) / 2;
    const entries: readonly (readonly [count: number, sigma: number])[] = [
      [columns, sigma.gram],
      [pairs, sigma.gram / Math.SQRT2],
      [columns, sigma.moment],
      [1, sigma.square],
      [1, sigma.count],
    ];
    for (const [count, deviation] of entries) {
      if (deviation > 0) slack += (count * (1 + mu) ** 2) / (2 * deviation * unit) ** 2;
    }
  }
  return slack;
}
