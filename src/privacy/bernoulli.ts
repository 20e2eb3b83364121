import type { WordSource } from '../random/words.ts';

export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/**
 * A number γ ≥ 0 in two forms: `near` is within (1 + γ)·2⁻⁴⁰ of the exact fraction. `exactly` computes that fraction; it is
 * called only when `near` cannot decide.
 */
export interface Quantity {
  readonly near: number;
  exactly(): Fraction;
}

export function quantity(top: bigint, bottom: bigint): Quantity {
  return { near: Number(top) / Number(bottom), exactly: () => ({ top, bottom }) };
}

const half = quantity(1n, 2n);

/** Most halves subtracted from `near` before it is computed anew, so that it stays close enough. */
const mostHalves = 1024;

/** True with probability e^(−γ), exactly (Canonne, Kamath & Steinke 2020, Algorithm 1, in halves instead of wholes). */
export function expBernoulli(gamma: Quantity, random: WordSource): boolean {
  let near = gamma.near;
  let halves = 0;
  for (; near > 0.75 && halves < mostHalves; near -= 0.5, halves++) {
    if (!endsEven(half.near, half.exactly, random)) return false;
  }
  const rest = halves === 0 ? gamma.exactly : () => lessHalves(gamma.exactly(), halves);
  if (halves < mostHalves) return endsEven(near, rest, random);
  const { top, bottom } = rest();
  return expBernoulli(quantity(top, bottom), random);
}

/** Upper bound of the error of `near` after its last half is subtracted: (1 + 513)·2⁻⁴⁰ and rounding. */
const error = mostHalves * 2 ** -40;

/**
 * Trials with probabilities γ, γ/2, γ/3, … for γ ≤ 1, until one fails. An even number succeeds with probability
 * 1 − γ + γ²/2! − … = e^(−γ).
 */
function endsEven(near: number, exactly: () => Fraction, random: WordSource): boolean {
  for (let k = 1; ; k++) {
    const word = random();
    // U lies between word and word + 1, over 2³²: usually clearly on one side of γ/k.
    if (word + 1 <= (near / k - error) * 2 ** 32) continue;
    if (word >= (near / k + error) * 2 ** 32 || !fallsBelow(word, k, exactly(), random)) {
      return k % 2 === 1;
    }
  }
}

/** Whether U, uniform on (0, 1) with its first word drawn, is below top / (k·bottom); draws further words as needed. */
function fallsBelow(
  first: number,
  k: number,
  { top, bottom }: Fraction,
  random: WordSource,
): boolean {
  const divisor = bottom * BigInt(k);
  let drawn = BigInt(first);
  let goal = top << 32n;
  for (;;) {
    if ((drawn + 1n) * divisor <= goal) return true;
    if (drawn * divisor >= goal) return false;
    drawn = (drawn << 32n) | BigInt(random());
    goal <<= 32n;
  }
}

function lessHalves({ top, bottom }: Fraction, halves: number): Fraction {
  return { top: 2n * top - BigInt(halves) * bottom, bottom: 2n * bottom };
}
