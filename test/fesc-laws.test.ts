import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LawName, lawNames, lawSource, laws, wholeSize } from '../experiments/fesc/laws.ts';
import { gammas, trialStreams } from '../experiments/fesc/streams.ts';
import { meanSize } from '../experiments/fesc/trial.ts';
import { resultSpread } from '../experiments/paper-result.ts';
import { exponential } from '../src/numeric/exponential.ts';
import { seededWords } from '../src/random/seeded-words.ts';

interface LawPoints {
  readonly law: LawName;
  readonly mean: number;
  readonly scipyMean: number;
  readonly sd: number;
  /** Values, and the probability of a draw at or below each. */
  readonly x: readonly number[];
  readonly below: readonly number[];
}

const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`vectors/fesc/${name}.json`, import.meta.url), 'utf8'));
const points: readonly LawPoints[] = vector('laws');

describe('eˣ in plain arithmetic', () => {
  it('is the platform’s to two units in the last place', () => {
    const next = seededWords(3);
    let farthest = 0;
    for (let k = 0; k < 20_000; k++) {
      const x = (next() / 2 ** 32 - 0.5) * (k % 2 === 0 ? 1400 : 4);
      farthest = Math.max(farthest, Math.abs(exponential(x) / Math.exp(x) - 1));
    }
    expect(farthest).toBeLessThan(5e-16);
  });

  it('has the ends of its range', () => {
    expect(exponential(0)).toBe(1);
    expect(exponential(Number.NEGATIVE_INFINITY)).toBe(0);
    expect(exponential(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
    expect(exponential(Number.NaN)).toBeNaN();
  });
});

describe('the 13 laws', () => {
  it('are all held against scipy.stats', () => {
    expect(lawNames.length).toBe(13);
    expect([...new Set(points.map(({ law }) => law))].sort()).toEqual([...lawNames].sort());
  });

  it.each(points)('$law of mean $mean draws as scipy.stats says', (at) => {
    const count = 10_000;
    const source = lawSource(seededWords(440));
    const draws = Float64Array.from({ length: count }, () => laws[at.law].draw(at.mean, source));
    // The law's own mean is what it was given, by scipy's account too; that of the draws to chance.
    expect(at.scipyMean / at.mean).toBeCloseTo(1, 12);
    const mean = draws.reduce((sum, x) => sum + x, 0) / count;
    expect(Math.abs(mean - at.mean) / (at.sd / Math.sqrt(count))).toBeLessThan(4);
    // Kolmogorov–Smirnov at the level 0.001.
    const sorted = draws.sort();
    let passed = 0;
    const distances = at.x.map((x, k) => {
      while (passed < count && sorted[passed]! <= x) passed++;
      return Math.abs(passed / count - at.below[k]!);
    });
    expect(Math.max(...distances)).toBeLessThan(1.95 / Math.sqrt(count));
  });

  it.each(lawNames)('%s has mean m^γ at every γ', (law) => {
    const runs = 60;
    gammas.forEach((_, g) => {
      const mean = meanSize(100, g);
      const ratios = Array.from({ length: runs }, (_, run) => {
        const source = lawSource(trialStreams(11, run, g).design);
        let sum = 0;
        for (let node = 0; node < 50; node++) sum += laws[law].draw(mean, source);
        return sum / 50 / mean;
      });
      const { mean: ratio, sd } = resultSpread(ratios);
      expect(Math.abs(ratio - 1) / (sd! / Math.sqrt(runs))).toBeLessThan(4);
    });
  });

  it('are given 100^γ by a logarithm and an exponential of our own', () => {
    gammas.forEach((gamma, g) => {
      expect(meanSize(100, g) / 100 ** gamma).toBeCloseTo(1, 14);
    });
  });

  it('give whole sizes, at least 1', () => {
    expect([-3, 0.2, 1.49, 1.5, 2.5, 940.4].map(wholeSize)).toEqual([1, 1, 1, 2, 3, 940]);
  });
});
