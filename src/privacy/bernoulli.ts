import type { WordSource } from '../random/words.ts';

export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/**
 * A number γ ≥ 0 twice over: `near` is within (1 + γ)·2⁻⁴⁰ of the fraction that `exactly` gives, which is worked out only
 * where `near` cannot decide.
 */
export interface Quantity {
  readonly near: number;
  exactly(): Fraction;
}

export function quantity(top: bigint, bottom: bigint): Quantity {
  return { near: Number(top) / Number(bottom), exactly: () => ({ top, bottom }) };
}

const half = quantity(1n, 2n);

/** Halves taken off before `near` is worked out anew: so long it stays near enough. */
const mostHalves = 1024;

/** True with probability e^(−γ), exactly (Canonne, Kamath & Steinke 2020, Algorithm 1, in halves instead of wholes). */
export function expBernoulli(gamma: Quantity, words: WordSource): boolean {
  let near = gamma.near;
  let halves = 0;
  for (; near > 0.75 && halves < mostHalves; near -= 0.5, halves++) {
    if (!endsEven(half.near, half.exactly, words)) return false;
  }
  const rest = halves === 0 ? gamma.exactly : () => lessHalves(gamma.exactly(), halves);
  if (halves < mostHalves) return endsEven(near, rest, words);
  const { top, bottom } = rest();
  return expBernoulli(quantity(top, bottom), words);
}

/** More than `near` errs by when its last half is taken off: (1 + 513)·2⁻⁴⁰ and the rounding. */
const error = mostHalves * 2 ** -40;

/**
 * Trials with chances γ, γ/2, γ/3, … for γ ≤ 1, until one fails: that an even number succeeded before has the chance
 * 1 − γ + γ²/2! − … = e^(−γ).
 */
function endsEven(near: number, exactly: () => Fraction, words: WordSource): boolean {
  for (let k = 1; ; k++) {
    const word = words();
    // U is within word … word + 1, over 2³²: mostly it is clear on which side of γ/k.
    if (word + 1 <= (near / k - error) * 2 ** 32) continue;
    if (word >= (near / k + error) * 2 ** 32 || !fallsBelow(word, k, exactly(), words)) {
      return k % 2 === 1;
    }
  }
}

/** Whether U, uniform between 0 and 1, of which the first word is drawn, is below top / (k·bottom): as many words as it takes. */
function fallsBelow(
  first: number,
  k: number,
  { top, bottom }: Fraction,
  words: WordSource,
): boolean {
  const divisor = bottom * BigInt(k);
  let drawn = BigInt(first);
  let goal = top << 32n;
  for (;;) {
    if ((drawn + 1n) * divisor <= goal) return true;
    if (drawn * divisor >= goal) return false;
    drawn = (drawn << 32n) | BigInt(words());
    goal <<= 32n;
  }
}

function lessHalves({ top, bottom }: Fraction, halves: number): Fraction {
  return { top: 2n * top - BigInt(halves) * bottom, bottom: 2n * bottom };
}
