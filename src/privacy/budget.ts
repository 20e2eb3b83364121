import { normalUpperTail } from '../numeric/distributions.ts';
import { epsilonOf, type Guarantee, muOf } from './calibration.ts';

/** What releases of the same rows cost together: √Σμ² (Dong, Roth & Su 2022, Corollary 3.3), adaptive ones too. */
export function composed(mus: Iterable<number>): number {
  return Math.hypot(...mus);
}

/** The μ a further release may still cost under a limit; 0 where it is used up. */
export function leftOf(limit: Guarantee, spent: Iterable<number>): number {
  const whole = muOf(limit);
  const used = composed(spent);
  return used >= whole ? 0 : Math.sqrt((whole - used) * (whole + used));
}

/** The ε that releases of the same rows add up to at this δ. */
export function epsilonSpent(mus: Iterable<number>, delta: number): number {
  return epsilonOf(composed(mus), delta);
}

/** The area under the ROC curve that no attack on a μ-private release can beat: Φ(μ/√2). */
export function attackBound(mu: number): number {
  return normalUpperTail(-mu / Math.SQRT2);
}
