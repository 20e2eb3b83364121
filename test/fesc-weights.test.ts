import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageWeights, fescWeights } from '../src/fusion/fesc-weights.ts';
import { cases } from './endurance.ts';

/** What FESC's weights minimise over the simplex: the paper's bound on the error. */
function bound(weights: ArrayLike<number>, sizes: readonly number[]): number {
  return sizes.reduce((sum, n, k) => sum + weights[k] ** 2 / n + weights[k] / n ** 2, 0);
}

/** The best weights on a support where none is 0: the derivative 2w/n + 1/n² is the same for all. */
function onSupport(sizes: readonly number[], support: readonly number[]): number[] | undefined {
  const own = support.map((k) => sizes[k]);
  const rows = own.reduce((sum, n) => sum + n, 0);
  const level = (2 + own.reduce((sum, n) => sum + 1 / n, 0)) / rows;
  const weights = sizes.map((n, k) => (support.includes(k) ? (level - n ** -2) * (n / 2) : 0));
  return weights.some((weight) => weight < -1e-15) ? undefined : weights;
}

/** The smallest bound over every support there is. */
function smallestBound(sizes: readonly number[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let mask = 1; mask < 2 ** sizes.length; mask++) {
    const support = [...sizes.keys()].filter((k) => (mask >> k) % 2 === 1);
    const weights = onSupport(sizes, support);
    if (weights !== undefined) best = Math.min(best, bound(weights, sizes));
  }
  return best;
}

/** The nearest point of the simplex (Duchi et al. 2008, figure 1). */
function projected(point: readonly number[]): number[] {
  const sorted = point.toSorted((a, b) => b - a);
  let sum = 0;
  let shift = 0;
  sorted.forEach((value, k) => {
    sum += value;
    if (value - (sum - 1) / (k + 1) > 0) shift = (sum - 1) / (k + 1);
  });
  return point.map((value) => Math.max(0, value - shift));
}

/** The minimiser by projected gradient, which knows nothing of equation (9). */
function descended(sizes: readonly number[]): number[] {
  const step = Math.min(...sizes) / 2;
  let weights = sizes.map(() => 1 / sizes.length);
  for (let k = 0; k < 20_000; k++) {
    weights = projected(weights.map((w, i) => w - step * ((2 * w) / sizes[i] + sizes[i] ** -2)));
  }
  return weights;
}

const anySizes = (most: number) =>
  fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5000 })), {
    minLength: 1,
    maxLength: most,
  });

describe('the weights of FESC', () => {
  it('are not negative, sum to 1, and leave no smaller bound on any support', () => {
    fc.assert(
      fc.property(anySizes(8), (sizes) => {
        const weights = fescWeights(sizes);
        expect(weights.every((weight) => weight >= 0)).toBe(true);
        expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
        const best = smallestBound(sizes);
        expect(Math.abs(bound(weights, sizes) - best)).toBeLessThan(1e-12 * best);
      }),
      { numRuns: cases(300) },
    );
  });

  it('are those that a descent over fifty sites arrives at', () => {
    const sizes = Array.from({ length: 50 }, (_, k) => 2 + ((k * 37) % 50));
    const weights = fescWeights(sizes);
    const found = descended(sizes);
    weights.forEach((weight, k) => {
      expect(Math.abs(weight - found[k])).toBeLessThan(1e-9);
    });
    expect(weights.filter((weight) => weight === 0).length).toBeGreaterThan(0);
  });

  it('keep the K largest sites of equation (10): all those with 1/n² at most the level', () => {
    fc.assert(
      fc.property(anySizes(40), (sizes) => {
        const order = sizes.toSorted((a, b) => b - a);
        const kept = order.filter((n, k) => {
          const first = order.slice(0, k + 1);
          const rows = first.reduce((a, b) => a + b, 0);
          return 1 / n ** 2 < (2 + first.reduce((sum, one) => sum + 1 / one, 0)) / rows;
        });
        expect([...fescWeights(sizes)].filter((weight) => weight > 1e-15)).toHaveLength(
          kept.length,
        );
      }),
    );
  });

  it('count every site where all qualify, the last one too', () => {
    // The authors' notebook stops one short here, and its weights then sum to less than 1.
    for (const sizes of [[100, 100, 100], [90, 80, 70, 60], [40]]) {
      const weights = fescWeights(sizes);
      expect(weights.every((weight) => weight > 0)).toBe(true);
      expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14);
    }
  });

  it('are those by rows where sites are equal, and go there as all grow', () => {
    expect([...fescWeights([60, 60, 60, 60])]).toEqual([0.25, 0.25, 0.25, 0.25]);
    const away = (sizes: readonly number[]) =>
      fescWeights(sizes).map((weight, k) => weight - averageWeights(sizes)[k]);
    const sizes = [300, 4000, 90];
    const tenfold = away(sizes.map((n) => 10 * n));
    away(sizes).forEach((distance, k) => {
      expect(tenfold[k]).toBeCloseTo(distance / 10, 14);
    });
  });

  it('follow their sites in any order', () => {
    const sizes = [12, 700, 3, 45, 45, 210];
    const turned = fescWeights(sizes.toReversed()).toReversed();
    expect([...fescWeights(sizes)]).toEqual([...turned]);
  });
});
