import { uniformBelow, type WordSource } from '../random/words.ts';
import { expBernoulli, quantity } from './bernoulli.ts';

const one = quantity(1n, 1n);

/**
 * Whole numbers k with probability ∝ e^(−k²/2·variance), exactly: doubles decide only where they cannot be wrong
 * (Canonne, Kamath & Steinke 2020, Algorithms 2 and 3: a discrete Laplace of scale ⌊σ⌋ + 1, thinned).
 */
export function discreteGaussian(variance: bigint, random: WordSource): () => bigint {
  if (variance < 1n) throw new RangeError(`variance must be a whole number from 1 on: ${variance}`);
  const scale = integerRoot(variance) + 1n;
  const remainder = uniformBelow(scale, random);
  const nearScale = Number(scale);
  const nearVariance = Number(variance);

  const laplaceSize = (): bigint => {
    for (;;) {
      const rest = remainder();
      const ratio = {
        near: Number(rest) / nearScale,
        exactly: () => ({ top: rest, bottom: scale }),
      };
      if (!expBernoulli(ratio, random)) continue;
      let wholes = 0;
      while (expBernoulli(one, random)) wholes++;
      return rest + scale * BigInt(wholes);
    }
  };

  return () => {
    for (;;) {
      const size = laplaceSize();
      const negative = random() >= 2 ** 31;
      if (negative && size === 0n) continue;
      // With y = size/σ the error of the double is at most about 2⁻⁵³·(4y² + 8), less than a Quantity allows.
      const distance = Number(size) - nearVariance / nearScale;
      const gamma = {
        near: (distance * distance) / (2 * nearVariance),
        exactly: () => ({
          top: (size * scale - variance) ** 2n,
          bottom: 2n * variance * scale * scale,
        }),
      };
      if (expBernoulli(gamma, random)) return negative ? -size : size;
    }
  };
}

/** ⌊√n⌋, by Newton's method from above. */
function integerRoot(n: bigint): bigint {
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
