import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddExp,
  ddLog,
  ddMultiply,
  ddNegate,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import { millsRatio, TWO_PI } from '../numeric/mills-ratio.ts';

/** What an (ε, δ)-private release promises. */
export interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * The δ at which μ-GDP is (ε, δ)-private: Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (Balle & Wang 2018, Theorem 8; Dong, Roth &
 * Su 2022, Corollary 2.13).
 */
export function deltaOf(mu: number, epsilon: number): number {
  checkMu(mu);
  if (!(epsilon >= 0)) throw new RangeError(`epsilon must not be negative: ${epsilon}`);
  if (mu === 0) return 0;
  const { log } = priced(mu, epsilon);
  return log.hi < -745 ? 0 : ddExp(log).hi;
}

/** The largest μ that keeps an (ε, δ) promise. */
export function muOf({ epsilon, delta }: Guarantee): number {
  if (!(epsilon > 0 && epsilon < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`epsilon must be positive: ${epsilon}`);
  }
  const target = logDelta(delta);
  // δ ≤ P(Z > ε/μ − μ/2) ≤ e^(−(ε/μ − μ/2)²/2): this μ keeps the promise with a margin.
  const width = Math.sqrt(-2 * target.hi);
  const safe = (2 * epsilon) / (width + Math.sqrt(width * width + 2 * epsilon));
  const excess = (mu: number) => {
    const { log, logDensity } = priced(mu, epsilon);
    return { value: difference(log, target), slope: mu * Math.exp(logDensity - log.hi) };
  };
  let above = 2;
  while (excess(safe * above).value <= 0) above *= 2;
  let mu = safe * Math.exp(root((u) => excess(safe * Math.exp(u)), 0, Math.log(above)));
  while (excess(mu).value > 0) mu *= 1 - 2 ** -53; // rounding never breaks the promise
  return mu;
}

/** The smallest ε at which μ-GDP is (ε, δ)-private; 0 if δ alone is enough. */
export function epsilonOf(mu: number, delta: number): number {
  checkMu(mu);
  const target = logDelta(delta);
  if (mu === 0) return 0;
  const slack = (epsilon: number) => {
    const { log, logSlope } = priced(mu, epsilon);
    return { value: difference(target, log), slope: Math.exp(logSlope - log.hi) };
  };
  if (slack(0).value >= 0) return 0;
  const safe = mu * Math.sqrt(-2 * target.hi) + (mu * mu) / 2;
  let epsilon = root(slack, 0, safe);
  while (slack(epsilon).value < 0) epsilon = epsilon * (1 + 2 ** -52) + Number.MIN_VALUE;
  return epsilon;
}

/** ln δ at (μ, ε), and the logarithms of ∂δ/∂μ and −∂δ/∂ε. */
interface Price {
  readonly log: DoubleDouble;
  readonly logDensity: number;
  readonly logSlope: number;
}

/**
 * With a = ε/μ − μ/2, b = ε/μ + μ/2 and Mills' ratio M: e^ε φ(b) = φ(a), so δ = φ(a)(M(a) − M(b)), or 1 − φ(a)(M(−a) +
 * M(b)) where a < 0; ∂δ/∂μ = φ(a) and ∂δ/∂ε = −φ(a)M(b).
 */
function priced(mu: number, epsilon: number): Price {
  const middle = ddDivide(dd(epsilon), dd(mu));
  const a = ddSubtract(middle, dd(mu / 2));
  const beyond = millsRatio(ddAdd(middle, dd(mu / 2)));
  const logDensity = ddScale(ddAdd(ddMultiply(a, a), ddLog(TWO_PI)), -0.5);
  const logSlope = logDensity.hi + Math.log(beyond.hi);
  if (a.hi >= 0) {
    const between = ddSubtract(millsRatio(a), beyond);
    // Where even double-doubles cannot distinguish the two, φ(a) is negligible.
    const log = between.hi > 0 ? ddAdd(logDensity, ddLog(between)) : dd(Number.NEGATIVE_INFINITY);
    return { log, logDensity: logDensity.hi, logSlope };
  }
  const missed = ddMultiply(ddExp(logDensity), ddAdd(millsRatio(ddNegate(a)), beyond));
  return { log: ddLog(ddSubtract(dd(1), missed)), logDensity: logDensity.hi, logSlope };
}

/** Like `ddSubtract`, but also for −∞. */
function difference(x: DoubleDouble, y: DoubleDouble): number {
  return x.hi - y.hi + (x.lo - y.lo);
}

/** The root of an increasing function: Newton's method, with bisection when a step leaves the bracket. */
function root(
  at: (x: number) => { readonly value: number; readonly slope: number },
  from: number,
  to: number,
): number {
  let low = from;
  let high = to;
  let x = (low + high) / 2;
  for (let step = 0; step < 200; step++) {
    const { value, slope } = at(x);
    if (value > 0) high = x;
    else low = x;
    const newton = x - value / slope;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - x) <= 2 ** -52 * Math.abs(x) || next === low || next === high) return next;
    x = next;
  }
  return low;
}

function checkMu(mu: number): void {
  if (!(mu >= 0 && mu < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`mu must be a number from 0 on: ${mu}`);
  }
}

function logDelta(delta: number): DoubleDouble {
  if (!(delta > 0 && delta < 1)) throw new RangeError(`delta must be between 0 and 1: ${delta}`);
  return ddLog(dd(delta));
}
