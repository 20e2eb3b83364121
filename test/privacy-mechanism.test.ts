import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composed } from '../src/privacy/budget.ts';
import { deltaOf, muOf } from '../src/privacy/calibration.ts';
import { forecastFor, forecastOf } from '../src/privacy/forecast.ts';
import {
  addRemoveNoise,
  discretisationSlack,
  type Mechanism,
  type MechanismShares,
  mechanismOf,
  replaceOneNoise,
  replaceOneSensitivity,
} from '../src/privacy/mechanism.ts';
import { withNoise } from '../src/privacy/private-noise.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import { type LinearLayout, packedIndex } from '../src/statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { type LinearStatistic, statisticBytes, statistics } from '../src/statistic/statistic.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { expectRelative } from './relative.ts';

const research = JSON.parse(
  readFileSync(new URL('./vectors/privacy-research.json', import.meta.url), 'utf8'),
);
const row: PrivacyTerms = { epsilon: 1, delta: 1e-5, unit: 'row' };

/** What a change of these sizes costs, as a squared μ. */
function price(change: MechanismShares, { gram, moment, square, count }: MechanismShares): number {
  const part = (size: number, sigma: number) => (sigma === 0 ? 0 : (size / sigma) ** 2);
  return (
    part(change.gram, gram) +
    part(change.moment, moment) +
    part(change.square, square) +
    part(change.count, count)
  );
}

describe('the noise of a release', () => {
  it('is that of the research: G, h, Σb², n', () => {
    for (const { mu, shares, Bx, By, sd_diagG, sd_h, sd_yy, sd_n } of research.joint) {
      const parts = { gram: shares.G, moment: shares.h, square: shares.yy, count: shares.n };
      const sigma = addRemoveNoise(mu, parts, By / Bx);
      expectRelative(sigma.gram * Bx ** 2, sd_diagG, 1e-14, 'G');
      expectRelative(sigma.moment * Bx ** 2, sd_h, 1e-14, 'h');
      expectRelative(sigma.square * Bx ** 2, sd_yy, 1e-14, 'Σb²');
      expectRelative(sigma.count, sd_n, 1e-14, 'n');
    }
    const { sigma, mu, spent, bound } = mechanismOf(row, 100);
    const [first] = research.joint;
    expectRelative(mu, first.mu, 1e-12, 'μ');
    expectRelative(sigma.gram, first.sd_diagG, 1e-12, 'G');
    expectRelative(sigma.moment, first.sd_h, 1e-12, 'h');
    expectRelative(sigma.square, first.sd_yy, 1e-12, 'Σb²');
    expectRelative(sigma.count, first.sd_n, 1e-12, 'n');
    expect([spent, bound]).toEqual([mu, 2 ** 14]);
  });

  it('moves by what the research found when a row is replaced', () => {
    for (const { c, sens } of research.replace_one) {
      expectRelative(replaceOneSensitivity(c), sens, 1e-12, `c = ${c}`);
    }
    expect(replaceOneSensitivity(Math.SQRT2)).toBeCloseTo(2 * Math.SQRT2, 14);
    expect(replaceOneSensitivity(3)).toBe(6);
  });

  it('keeps what is promised over all rounds, releases and rows of a person', () => {
    const terms = fc.record({
      rounds: fc.integer({ min: 0, max: 5 }),
      releases: fc.integer({ min: 1, max: 6 }),
      rowsPerPerson: fc.integer({ min: 1, max: 9 }),
      neighbours: fc.constantFrom('add-remove' as const, 'replace-one' as const),
      epsilon: fc.double({ min: 0.05, max: 30, noNaN: true }),
      columns: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(terms, ({ columns, ...chosen }) => {
        const promise: PrivacyTerms = { delta: 1e-6, unit: 'person', ...chosen };
        const { rounds, releases, rowsPerPerson, neighbours } = chosen;
        const all = Array.from({ length: rounds + 1 }, (_, round) =>
          mechanismOf(
            round === 0 ? promise : { ...promise, refinement: { round, at: [], total: '' } },
            columns,
          ),
        );
        const spent = Array.from({ length: releases }, () => all.map((one) => one.spent)).flat();
        expectRelative(composed(spent), all[0].mu, 1e-13, 'μ of all');
        const slack = releases * discretisationSlack(all);
        expect(deltaOf(composed(spent), promise.epsilon) + slack).toBeLessThanOrEqual(
          1e-6 * (1 + 1e-12),
        );
        const moves = neighbours === 'replace-one' ? 2 : 1;
        for (const [round, { bound, sigma, spent }] of all.entries()) {
          expect(bound).toBe(
            Math.floor((2.5 / Math.sqrt(columns)) * Math.max(2 ** -round, 1 / 8) * 2 ** 16),
          );
          // A person's rows all change at once, and each as much as a row can.
          const size = (bound / 2 ** 16) * rowsPerPerson;
          const change = { gram: rowsPerPerson, moment: size, square: 0, count: rowsPerPerson };
          if (round > 0) {
            const cost = price({ ...change, moment: moves * size, gram: 0, count: 0 }, sigma);
            expectRelative(cost, spent ** 2, 1e-12, `round ${round}`);
          } else if (neighbours === 'add-remove') {
            const square = rowsPerPerson * (bound / 2 ** 16) ** 2;
            expectRelative(price({ ...change, square }, sigma), spent ** 2, 1e-12, 'round 0');
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('spends on responses alone where they alone are secret', () => {
    const { sigma, spent, bound, mu } = mechanismOf({ ...row, protects: 'labels' }, 25);
    expect([sigma.gram, sigma.count]).toEqual([0, 0]);
    const most = bound / 2 ** 16;
    const cost = price({ gram: 0, moment: 2 * most, square: most ** 2, count: 0 }, sigma);
    expectRelative(cost, mu ** 2, 1e-12, 'μ²');
    expect(spent).toBe(mu);
  });

  it('costs no more δ in whole steps than is set aside, on grids so coarse that it shows', () => {
    const most = { alone: 0, pair: 0 };
    for (const s of [1.5, 2, 3, 5, 8]) {
      const reach = Array.from(
        { length: 2 * Math.ceil(12 * s) + 1 },
        (_, k) => k - Math.ceil(12 * s),
      );
      const weights = reach.map((k) => Math.exp(-(k ** 2) / (2 * s ** 2)));
      const whole = weights.reduce((sum, weight) => sum + weight, 0);
      for (let step = 1; step <= 3 * s; step++) {
        for (const epsilon of [0.01, 0.3, 1, 2.5, 6]) {
          // The loss of a shift by `step` at k, and of two shifts at once.
          const loss = (k: number) => (step ** 2 + 2 * k * step) / (2 * s ** 2);
          const over = (total: number) => Math.max(0, 1 - Math.exp(epsilon - total));
          const alone = reach.reduce((sum, k, i) => sum + (weights[i] / whole) * over(loss(k)), 0);
          const pair = reach.reduce(
            (sum, k, i) =>
              sum +
              reach.reduce(
                (inner, l, j) => inner + weights[i] * weights[j] * over(loss(k) + loss(l)),
                0,
              ) /
                whole ** 2,
            0,
          );
          const mu = step / s;
          const allowed = (entries: number, total: number) =>
            (entries * (1 + total) ** 2) / (4 * s ** 2);
          const both = mu * Math.SQRT2;
          most.alone = Math.max(most.alone, (alone - deltaOf(mu, epsilon)) / allowed(1, mu));
          most.pair = Math.max(most.pair, (pair - deltaOf(both, epsilon)) / allowed(2, both));
        }
      }
    }
    expect(most.alone).toBeLessThan(1);
    expect(most.pair).toBeLessThan(1);
    expect(most.alone).toBeGreaterThan(0.01); // a promise without it would be broken
  });

  it('says when δ is too small for noise in whole steps', () => {
    expect(() => mechanismOf({ ...row, delta: 1e-30 }, 100)).toThrow('delta is too small');
    expect(mechanismOf({ ...row, delta: 1e-15 }, 100).mu).toBeLessThan(
      muOf({ epsilon: 1, delta: 1e-15 }),
    );
  });
});

/** A row within the bounds: ‖a‖ ≤ 1, |b| ≤ B. */
interface ScaledRow {
  readonly a: readonly number[];
  readonly b: number;
}

const dot = (x: readonly number[], y: readonly number[]) =>
  x.reduce((sum, value, k) => sum + value * y[k], 0);

/** How far G, h and Σb² move when one row takes another's place. */
function change(one: ScaledRow, other: ScaledRow): MechanismShares {
  const gram = dot(one.a, one.a) ** 2 + dot(other.a, other.a) ** 2 - 2 * dot(one.a, other.a) ** 2;
  const moment = one.a.map((value, k) => value * one.b - other.a[k] * other.b);
  return {
    gram: Math.sqrt(Math.max(0, gram)),
    moment: Math.sqrt(dot(moment, moment)),
    square: one.b ** 2 - other.b ** 2,
    count: 0,
  };
}

describe('a row that takes another’s place', () => {
  /** The dearest pair of rows that steps from a random one find. */
  function dearest(sigma: MechanismShares, bound: number, seed: number): number {
    const normal = normals(seededWords(seed));
    const within = ({ a, b }: ScaledRow): ScaledRow => {
      const length = Math.max(1, Math.sqrt(dot(a, a)));
      return { a: a.map((value) => value / length), b: Math.max(-bound, Math.min(bound, b)) };
    };
    const moved = ({ a, b }: ScaledRow, step: number) =>
      within({ a: a.map((value) => value + step * normal()), b: b + step * bound * normal() });
    const start = () => within({ a: [0, 0, 0].map(normal), b: bound * normal() });
    let pair = [start(), start()];
    let best = 0;
    for (let k = 0; k < 4000; k++) {
      const next = pair.map((one) => moved(one, 0.5 * 0.998 ** k));
      const cost = price(change(next[0], next[1]), sigma);
      if (cost <= best) continue;
      best = cost;
      pair = next;
    }
    return best;
  }

  it.each([
    [0.4, 0.57],
    [0.15, 0.83],
    [0.7, 0.2],
  ])('never costs more than is said, and can cost as much: shares %f, %f', (gram, moment) => {
    const mu = 0.8;
    const square = 0.02;
    const sigma = replaceOneNoise(mu, { gram, moment, square, count: 0 }, 0.3);
    const found = [1, 2, 3].map((seed) => dearest(sigma, 0.3, seed));
    const whole = mu ** 2 * (gram + moment + square);
    expect(Math.max(...found)).toBeLessThanOrEqual(whole);
    // Σb² moves most when the rest does not: its share alone is not reached.
    expect(Math.max(...found)).toBeGreaterThan(0.999 * mu ** 2 * (gram + moment));
  });
});

const layoutOf = (
  predictors: number,
  intercept: boolean,
  kind: 'products' | 'gradient',
): LinearLayout => ({
  columns: ['1', ...Array.from({ length: predictors }, (_, k) => `x${k + 1}`), 'y'],
  references: [],
  responses: 1,
  intercept,
  arithmetic: 'exact',
  grid: 16,
  weightScale: null,
  privacy: {
    bound: 1000,
    noise: 'at-coordinator',
    ...(kind === 'products' ? { kind } : { kind, at: [0, 0, 0] }),
  },
});

const zero = (layout: LinearLayout): LinearStatistic => statistics(layout).zero;
const entries = ({ layout, values }: LinearStatistic) =>
  Array.from({ length: entriesOf(layout) }, (_, k) => ringEntry(values, wordsOf(layout), k));

describe('noise on a statistic', () => {
  const mechanism: Mechanism = {
    mu: 1,
    spent: 1,
    columns: 3,
    bound: 1000,
    shares: { gram: 0.4, moment: 0.57, square: 0.02, count: 0.01 },
    sigma: { gram: 3.7, moment: 1.9, square: 0.6, count: 21 },
  };
  const { sigma } = mechanism;

  it('has the right variance on each kind of entry, and no correlation', () => {
    const layout = layoutOf(2, true, 'products');
    const words = seededWords(11);
    const draws = 8000;
    const samples = Array.from({ length: draws }, () =>
      entries(withNoise(zero(layout), mechanism, words)).map((x) => Number(x) / 2 ** 32),
    );
    const off = sigma.gram / Math.SQRT2;
    const { gram, moment, square, count } = sigma;
    // Packed: (1,1) (1,x1) (1,x2) (1,y) (x1,x1) (x1,x2) (x1,y) (x2,x2) (x2,y) (y,y) n.
    const expected = [gram, off, off, moment, gram, off, moment, gram, moment, square, count];
    for (const [j, deviation] of expected.entries()) {
      const variance = samples.reduce((sum, one) => sum + one[j] ** 2, 0) / draws;
      expect(Math.abs(variance / deviation ** 2 - 1)).toBeLessThan(4 * Math.sqrt(2 / draws));
      for (let k = 0; k < j; k++) {
        const product = samples.reduce((sum, one) => sum + one[j] * one[k], 0) / draws;
        expect(Math.abs(product / (deviation * expected[k]))).toBeLessThan(4 / Math.sqrt(draws));
      }
    }
  });

  it('is the same for the same words, to the bit, and is added in the ring', () => {
    const layout = layoutOf(2, true, 'products');
    const noisy = withNoise(zero(layout), mechanism, seededWords(2026));
    const digest = createHash('sha256').update(statisticBytes(noisy)).digest('hex');
    expect(digest).toBe('7aa126b1ff0fb7c39fae666b337b3756ab7153c07477b8132714a70e77a5d3ca');
    const statistic = zero(layout);
    for (let k = 0; k < entriesOf(layout); k++) {
      setRingEntry(statistic.values, 2, k, (-1n) ** BigInt(k) * (1n << 40n) * BigInt(k));
    }
    const before = statistic.values.slice();
    const sum = withNoise(statistic, mechanism, seededWords(2026));
    expect(statistic.values).toEqual(before);
    expect(statistics(layout).subtract(sum, statistic).values).toEqual(noisy.values);
  });

  it('leaves what a missing intercept leaves empty, and what is exact', () => {
    const layout = layoutOf(2, false, 'products');
    const noisy = entries(withNoise(zero(layout), mechanism, seededWords(5)));
    const empty = [0, 1, 2, 3].map((j) => packedIndex(4, 0, j));
    expect(noisy.flatMap((x, k) => (x === 0n ? [k] : []))).toEqual(empty);
    const labels = { ...mechanism, sigma: { ...sigma, gram: 0, count: 0 } };
    const exact = entries(withNoise(zero(layout), labels, seededWords(5)));
    const touched = [1, 2, 3].map((j) => packedIndex(4, j, 3));
    expect(exact.flatMap((x, k) => (x === 0n ? [] : [k]))).toEqual(touched);
  });

  it('of a gradient falls on the predictors', () => {
    for (const intercept of [true, false]) {
      const layout = layoutOf(2, intercept, 'gradient');
      const words = seededWords(6);
      const samples = Array.from({ length: 4000 }, () =>
        entries(withNoise(zero(layout), mechanism, words)).map((x) => Number(x) / 2 ** 32),
      );
      for (const j of [0, 1, 2]) {
        const variance = samples.reduce((sum, one) => sum + one[j] ** 2, 0) / 4000;
        const expected = j === 0 && !intercept ? 0 : sigma.moment ** 2;
        expect(Math.abs(variance - expected)).toBeLessThanOrEqual(0.09 * expected);
      }
    }
  });

  it('comes from cryptographic words unless told otherwise', () => {
    const layout = layoutOf(2, true, 'products');
    const [one, other] = [1, 2].map(() => entries(withNoise(zero(layout), mechanism)));
    expect(one.every((x, k) => x !== other[k])).toBe(true);
  });

  it('is refused where a statistic is not of a private study', () => {
    const { privacy: _, ...plain } = layoutOf(2, true, 'products');
    expect(() => withNoise(zero(plain), mechanism)).toThrow('private study');
  });
});

describe('the forecast', () => {
  it('is the formula of the research', () => {
    for (const { n, d, eps, delta, f, c, rel_excess } of research.forecast) {
      const mu = muOf({ epsilon: eps, delta });
      const { relativeExcess, expectedExcess } = forecastOf({
        rows: n,
        columns: d,
        mu,
        gramShare: f,
        cut: c,
      });
      expectRelative(relativeExcess, rel_excess, 1e-12, `${n} rows, ${d} columns`);
      expectRelative(expectedExcess, 1.5 * rel_excess, 1e-12, 'expected');
      const terms = { ...row, epsilon: eps, delta };
      const same = forecastFor(terms, { rows: n, columns: d, sites: 20 });
      expectRelative(same.relativeExcess, rel_excess, 1e-10, 'from terms');
    }
  });

  it.each([
    [0.1, 5, 6300, 2],
    [0.1, 100, 358_000, 3],
    [0.5, 20, 8400, 2],
    [1, 50, 16_000, 2],
    [1, 100, 43_000, 2],
    [2, 200, 64_000, 2],
    [5, 500, 112_000, 3],
    [5, 1000, 317_000, 3],
  ])(
    'needs the rows of the printed table: ε = %f, %i columns',
    (epsilon, columns, rows, digits) => {
      const { rowsForOnePercent } = forecastFor({ ...row, epsilon }, { rows: 1, columns });
      expect(Number(rowsForOnePercent.toPrecision(digits))).toBe(rows);
      const at = forecastFor({ ...row, epsilon }, { rows: rowsForOnePercent, columns });
      expect(at.relativeExcess).toBeLessThanOrEqual(0.01);
      expect(at.relativeExcess).toBeGreaterThan(0.0099);
    },
  );

  it('speaks up above 0.05 and refuses above 2, half as much again counted in', () => {
    const rowsAt = (excess: number) => {
      const { relativeExcess } = forecastOf({ rows: 1, columns: 30, mu: 0.3 });
      return Math.sqrt((1.5 * relativeExcess) / excess);
    };
    const verdict = (excess: number) =>
      forecastOf({ rows: rowsAt(excess), columns: 30, mu: 0.3 }).verdict;
    expect([0.0499, 0.0501, 1.999, 2.001].map(verdict)).toEqual([
      'one-shot',
      'warn',
      'warn',
      'refuse',
    ]);
  });

  it('follows the noise: local, replaced rows, persons, releases, responses alone', () => {
    const setting = { rows: 5000, columns: 40, sites: 9 };
    const excess = (other: Partial<PrivacyTerms>) =>
      forecastFor({ ...row, ...other }, setting).relativeExcess;
    const plain = excess({});
    expectRelative(excess({ placement: 'local' }), 9 * plain, 1e-12, 'local');
    expectRelative(excess({ placement: 'aggregators' }), 2 * plain, 1e-12, 'both aggregators');
    expectRelative(excess({ unit: 'person', rowsPerPerson: 3 }), 9 * plain, 1e-9, 'person');
    expectRelative(excess({ releases: 4 }), 4 * plain, 1e-9, 'releases');
    const replaced = replaceOneSensitivity(Math.sqrt(0.57 / 0.4)) ** 2 * 0.4 * (0.99 / 0.97);
    expectRelative(excess({ neighbours: 'replace-one' }), replaced * plain, 1e-9, 'replaced');
    expectRelative(excess({ rounds: 4 }), plain, 1e-12, 'one round, whatever follows');
    const mu = muOf(row);
    const responses = (40 / (5000 * mu)) ** 2 * 2.5 ** 2 * 4 * (0.59 / 0.57);
    expectRelative(excess({ protects: 'labels' }), responses, 1e-9, 'responses');
  });
});
