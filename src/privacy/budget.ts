import { normalUpperTail } from '../numeric/distributions.ts';
import { epsilonOf, type Guarantee, muOf } from './calibration.ts';

/** The cost of several releases of the same rows: √Σμ² (Dong, Roth & Su 2022, Corollary 3.3); they may be adaptive. */
export function composed(mus: Iterable<number>): number {
  return Math.hypot(...mus);
}

/** The μ that a further release may cost within a limit; 0 if the limit is used up. */
export function leftOf(limit: Guarantee, spent: Iterable<number>): number {
  const whole = muOf(limit);
  const used = composed(spent);
  return used >= whole ? 0 : Math.sqrt((whole - used) * (whole + used));
}

/** The ε of several releases of the same rows at this δ. */
export function epsilonSpent(mus: Iterable<number>, delta: number): number {
  return epsilonOf(composed(mus), delta);
}

/** The largest share of right guesses between two equally likely cases from a μ-private release: Φ(μ/2). */
export function guessBound(mu: number): number {
  return normalUpperTail(-mu / 2);
}

/** The largest area under the ROC curve of any attack on a μ-private release: Φ(μ/√2). */
export function attackBound(mu: number): number {
  return normalUpperTail(-mu / Math.SQRT2);
}
