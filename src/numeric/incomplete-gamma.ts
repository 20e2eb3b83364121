import { continuedFraction } from './continued-fraction.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddExp,
  ddLog,
  ddLog1p,
  ddMultiply,
  ddNegate,
  ddSubtract,
} from './double-double.ts';
import { logGammaDouble } from './gamma.ts';

/** The two halves of Γ(a), as logarithms: P (below x) + Q (above x) = 1. */
export interface GammaTails {
  readonly logBelow: DoubleDouble;
  readonly logAbove: DoubleDouble;
}

/** Regularised incomplete gamma functions P(a, x) and Q(a, x) for a > 0, x > 0. */
export function logIncompleteGamma(a: number, x: DoubleDouble): GammaTails {
  const power = logGammaPower(a, x);
  if (x.hi < a + 1) {
    const logBelow = ddAdd(power, ddLog(dd(series(a, x.hi))));
    return { logBelow, logAbove: complement(logBelow) };
  }
  const logAbove = ddAdd(power, ddLog(dd(fraction(a, ddSubtract(x, dd(a)).hi))));
  return { logBelow: complement(logAbove), logAbove };
}

/** ln(xᵃ e⁻ˣ / Γ(a)) = ln(dP / d ln x). */
export function logGammaPower(a: number, x: DoubleDouble): DoubleDouble {
  return ddSubtract(ddSubtract(ddMultiply(dd(a), ddLog(x)), x), logGammaDouble(dd(a)));
}

function complement(logProbability: DoubleDouble): DoubleDouble {
  return ddLog1p(ddNegate(ddExp(logProbability)));
}

/** Σ xⁿ / (a(a+1)…(a+n)) (DLMF 8.7.1). */
function series(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; term > sum * 2 ** -54; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** Legendre's continued fraction for Γ(a, x) eˣ x⁻ᵃ (DLMF 8.9.2, contracted), after Lentz. */
function fraction(a: number, excess: number): number {
  const alpha = (n: number) => n * (a - n);
  const beta = (n: number) => excess + 1 + 2 * n;
  return 1 / continuedFraction(excess + 1, alpha, beta);
}
