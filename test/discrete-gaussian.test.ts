import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chiSquareTail, normalUpperTail } from '../src/numeric/distributions.ts';
import { expBernoulli, quantity } from '../src/privacy/bernoulli.ts';
import { discreteGaussian } from '../src/privacy/discrete-gaussian.ts';
import { normals } from '../src/random/normals.ts';
import { secureWords } from '../src/random/secure-words.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { uniformBelow, type WordSource } from '../src/random/words.ts';

const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8'));
const { pmf } = vectors('privacy-calibration') as { pmf: Record<string, readonly number[]> };
const research = vectors('privacy-research');
const wordVectors = vectors('privacy-words');

/** A stream that also says how many words were taken. */
function counted(words: WordSource): { words: WordSource; taken: () => number } {
  let taken = 0;
  return {
    words: () => {
      taken++;
      return words();
    },
    taken: () => taken,
  };
}

/** How likely counts as far from these chances are, or further; rare outcomes are counted together. */
function fitOf(counts: readonly number[], chances: readonly number[]): number {
  const draws = counts.reduce((sum, count) => sum + count, 0);
  let statistic = 0;
  let cells = 0;
  let rare = { count: 0, chance: 0 };
  const add = (count: number, chance: number) => {
    statistic += (count - draws * chance) ** 2 / (draws * chance);
    cells++;
  };
  for (const [k, chance] of chances.entries()) {
    if (draws * chance >= 10) add(counts[k], chance);
    else rare = { count: rare.count + counts[k], chance: rare.chance + chance };
  }
  if (draws * rare.chance >= 1) add(rare.count, rare.chance);
  else expect(rare.count, 'outcomes that should not happen').toBeLessThan(12);
  return chiSquareTail(statistic, cells - 1);
}

/** Draws counted from −50 to 50, outcomes beyond at the ends. */
function tally(draw: () => number, draws: number): number[] {
  const counts = new Array<number>(101).fill(0);
  for (let k = 0; k < draws; k++) counts[Math.max(-50, Math.min(50, draw())) + 50]++;
  return counts;
}

const chancesOf = (variance: number) =>
  Array.from({ length: 101 }, (_, k) => pmf[variance][Math.abs(k - 50)]);

describe('a discrete Gaussian', () => {
  it.each([1, 3, 9, 31, 100])('of variance %i has its exact chances', (variance) => {
    const draw = discreteGaussian(BigInt(variance), seededWords(variance));
    const counts = tally(() => Number(draw()), 100_000);
    expect(fitOf(counts, chancesOf(variance))).toBeGreaterThan(1e-3);
  });

  it('has the chances of the research at variance 9', () => {
    for (const [k, chance] of Object.entries<number>(research.dgauss_pmf_sigma2_9)) {
      expect(Math.abs(pmf[9][Number(k)] - chance)).toBeLessThan(1e-15);
    }
  });

  it('is told from a rounded normal and from a variance 6 % off by the same test', () => {
    const normal = normals(seededWords(7));
    const rounded = tally(() => Math.round(normal() * Math.sqrt(3)), 100_000);
    expect(fitOf(rounded, chancesOf(3))).toBeLessThan(1e-3);
    const draw = discreteGaussian(33n, seededWords(8));
    expect(
      fitOf(
        tally(() => Number(draw()), 100_000),
        chancesOf(31),
      ),
    ).toBeLessThan(1e-3);
  });

  it('is a normal at σ = 1.14 · 2³³: moments, tails, distribution function, low bits', () => {
    const variance = (13n << 66n) / 10n;
    const sigma = Math.sqrt(Number(variance));
    const draw = discreteGaussian(variance, seededWords(33));
    const draws = 100_000;
    const values = new Float64Array(draws);
    const lowest = new Array<number>(16).fill(0);
    for (let k = 0; k < draws; k++) {
      const value = draw();
      values[k] = Number(value) / sigma;
      lowest[Number(value & 15n)]++;
    }
    const mean = (power: number) => values.reduce((sum, x) => sum + x ** power, 0) / draws;
    const within = (value: number, expected: number, variance: number) =>
      expect(Math.abs(value - expected)).toBeLessThan(3.5 * Math.sqrt(variance / draws));
    within(mean(1), 0, 1);
    within(mean(2), 1, 2);
    within(mean(3), 0, 15);
    within(mean(4), 3, 96);
    for (const z of [1, 2, 3, 4]) {
      for (const side of [-1, 1]) {
        const chance = normalUpperTail(z);
        const beyond = values.reduce((sum, x) => sum + (side * x > z ? 1 : 0), 0);
        within(beyond / draws, chance, chance);
      }
    }
    values.sort();
    let distance = 0;
    for (let k = 0; k < draws; k += 50) {
      distance = Math.max(distance, Math.abs(1 - normalUpperTail(values[k]) - (k + 0.5) / draws));
    }
    expect(distance * Math.sqrt(draws)).toBeLessThan(1.7); // Kolmogorov: p = 0.006
    expect(fitOf(lowest, new Array<number>(16).fill(1 / 16))).toBeGreaterThan(1e-3);
  });
});

describe('a discrete Gaussian’s bookkeeping', () => {
  it('draws beyond what doubles hold: σ = 2⁸⁰', () => {
    const draw = discreteGaussian(1n << 160n, seededWords(80));
    const values = Array.from({ length: 2000 }, draw);
    const variance = values.reduce((sum, x) => sum + (Number(x) / 2 ** 80) ** 2, 0) / 2000;
    expect(Math.abs(variance - 1)).toBeLessThan(3.5 * Math.sqrt(2 / 2000));
    expect(values.filter((x) => x % 2n === 0n).length).toBeGreaterThan(900); // all bits are drawn
    expect(values.filter((x) => x % 2n === 0n).length).toBeLessThan(1100);
  });

  it('is, draw by draw, what fractions alone give from the same words', () => {
    for (const { variance, seed, draws } of wordVectors.gaussians) {
      const draw = discreteGaussian(BigInt(variance), seededWords(seed));
      expect(draws.map(() => String(draw()))).toEqual(draws);
    }
  });

  it('refuses a variance below 1', () => {
    expect(() => discreteGaussian(0n, seededWords(1))).toThrow('variance must be');
  });
});

describe('a trial of chance e^−γ', () => {
  it.each([
    [0n, 1n],
    [1n, 1000n],
    [3n, 10n],
    [3n, 4n],
    [1n, 1n],
    [13n, 5n],
    [6n, 1n],
  ])('succeeds as often as it should: γ = %i/%i', (top, bottom) => {
    const words = seededWords(Number(top) + 100 * Number(bottom));
    const gamma = quantity(top, bottom);
    const chance = Math.exp(-Number(top) / Number(bottom));
    let successes = 0;
    for (let k = 0; k < 50_000; k++) successes += expBernoulli(gamma, words) ? 1 : 0;
    const allowed = 3.5 * Math.sqrt(50_000 * chance * (1 - chance));
    expect(Math.abs(successes - 50_000 * chance)).toBeLessThanOrEqual(allowed);
  });

  it.each([-1, 1])('does not depend on how near the double is: 2⁻⁴⁰ · %i off', (off) => {
    const gamma = quantity(1_234_567_891n, 987_654_321n);
    const near = { near: gamma.near + off * 2 ** -40, exactly: gamma.exactly };
    const [one, other] = [counted(seededWords(5)), counted(seededWords(5))];
    const outcomes = Array.from({ length: 20_000 }, () => expBernoulli(near, one.words));
    expect(outcomes).toEqual(outcomes.map(() => expBernoulli(gamma, other.words)));
    expect(one.taken()).toBe(other.taken());
    // The first word puts U within ½ … ½ + 2⁻³²: a double on the other side of ½ must not decide.
    const close = { ...quantity(2n ** 41n + BigInt(off), 2n ** 42n), near: 0.5 - off * 2 ** -42 };
    const word = off > 0 ? 2 ** 31 : 2 ** 31 - 1;
    const within = [word, off > 0 ? 0 : 0xffffffff, 0xffffffff];
    // Above ½ the trial succeeds by its second word and the next fails; below ½ it fails by its second word.
    expect(expBernoulli(close, () => within.shift() ?? Number.NaN)).toBe(off < 0);
    expect(within.length).toBe(off > 0 ? 0 : 1);
  });

  it('takes as many words as a close call needs', () => {
    // γ = 1/3 is 0x55555555 55555555 … over 2³²: one word alike decides nothing.
    const third = quantity(1n, 3n);
    const script = (...given: number[]) => counted(() => given.shift() ?? 0xffffffff);
    const above = script(0x55555555, 0x55555555, 0x55555556);
    expect(expBernoulli(third, above.words)).toBe(true); // the first trial fails: none succeeded
    expect(above.taken()).toBe(3);
    const below = script(0x55555555, 0x55555555, 0x55555554);
    expect(expBernoulli(third, below.words)).toBe(false); // one succeeds, the next fails
    expect(below.taken()).toBe(4);
  });

  it('splits a large γ into halves, however large', () => {
    const yes = counted(() => 0xffffffff);
    expect(expBernoulli(quantity(20_003n, 10n), yes.words)).toBe(true);
    expect(yes.taken()).toBe(4000 + 1);
    expect(expBernoulli(quantity(10n ** 30n, 7n), seededWords(3))).toBe(false);
  });
});

describe('words', () => {
  it('are those of another implementation of xoshiro128**', () => {
    for (const { seed, words } of wordVectors.streams) {
      const next = seededWords(seed);
      expect(words.map(() => next())).toEqual(words);
    }
  });

  it('that are secure differ, and fill all 32 bits', () => {
    const words = secureWords();
    const drawn = Array.from({ length: 20_000 }, words);
    expect(new Set(drawn).size).toBeGreaterThan(19_990);
    for (let bit = 0; bit < 32; bit++) {
      const ones = drawn.filter((word) => (word >>> bit) & 1).length;
      expect(Math.abs(ones - 10_000)).toBeLessThan(5 * Math.sqrt(5000));
    }
  });

  it.each([1n, 2n, 5n, 6n, 7n, 96n])('below %i are uniform', (bound) => {
    const draw = uniformBelow(bound, seededWords(Number(bound)));
    const counts = new Array<number>(Number(bound)).fill(0);
    for (let k = 0; k < 50_000; k++) counts[Number(draw())]++;
    if (bound === 1n) expect(counts).toEqual([50_000]);
    else
      expect(
        fitOf(
          counts,
          counts.map(() => 1 / Number(bound)),
        ),
      ).toBeGreaterThan(1e-3);
  });

  it('below a bound of several words have no modulo bias', () => {
    // Reduced modulo 3 · 2⁶², 64 random bits would fall in the lowest third half the time.
    const bound = 3n << 62n;
    const draw = uniformBelow(bound, seededWords(62));
    const counts = [0, 0, 0];
    for (let k = 0; k < 50_000; k++) counts[Number(draw() >> 62n)]++;
    expect(fitOf(counts, [1 / 3, 1 / 3, 1 / 3])).toBeGreaterThan(1e-3);
  });

  it('make normals with the right moments', () => {
    const normal = normals(seededWords(4));
    const values = Array.from({ length: 100_000 }, normal);
    const mean = (power: number) => values.reduce((sum, x) => sum + x ** power, 0) / 100_000;
    expect(Math.abs(mean(1))).toBeLessThan(0.011);
    expect(Math.abs(mean(2) - 1)).toBeLessThan(0.016);
    expect(Math.abs(mean(4) - 3)).toBeLessThan(0.11);
  });
});
