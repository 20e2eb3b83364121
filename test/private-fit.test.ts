import { describe, expect, it } from 'vitest';
import { noisyProducts } from '../src/fusion/noisy-total.ts';
import { resolvePrivate } from '../src/fusion/private.ts';
import type { PrivateFit } from '../src/model/private-fit.ts';
import { type Mechanism, mechanismOf } from '../src/privacy/mechanism.ts';
import { privateColumns } from '../src/privacy/private-layout.ts';
import { withNoise } from '../src/privacy/private-noise.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { chosen, enduring } from './endurance.ts';
import { type PrivateCase, privateCase, type Row, summarize } from './private-tables.ts';
import { eliminated, weightedLeastSquares } from './weighted-twin.ts';

const row = { delta: 1e-5, unit: 'row' } as const;

const cases = new Map<string, PrivateCase>();
const mechanisms = new Map<string, Mechanism>();

/** The case, calibrated once. */
function caseOf(formula: string, codebook: Codebook, terms: PrivacyTerms): PrivateCase {
  const key = JSON.stringify([formula, terms]);
  const one = cases.get(key) ?? privateCase(formula, codebook, terms);
  cases.set(key, one);
  return one;
}

/** A total with its noise, drawn from a seed. */
function noisyTotal(
  { layout, terms }: PrivateCase,
  total: LinearStatistic,
  seed: number,
): LinearStatistic {
  const columns = privateColumns(layout);
  const key = JSON.stringify([terms, columns]);
  const mechanism = mechanisms.get(key) ?? mechanismOf(terms, columns);
  mechanisms.set(key, mechanism);
  return withNoise(total, mechanism, seededWords(seed));
}

function solvedFrom(one: PrivateCase, total: LinearStatistic, noises = 1): PrivateFit {
  const fit = resolvePrivate(total, one.terms, one.layout, { noises });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit;
}

/** A regression on standard normal columns x1 … xd, and rows (y, x1, …) of it. */
function simulated(
  columns: number,
  terms: PrivacyTerms,
  options: { readonly seed: number; readonly left: number },
): {
  readonly one: PrivateCase;
  readonly truth: readonly number[];
  rows(count: number): Row[];
} {
  const draw = normals(seededWords(options.seed));
  const names = Array.from({ length: columns }, (_, j) => `x${j + 1}`);
  const number = { type: 'number', range: [-9, 9], center: 0, sd: 1 } as const;
  const codebook: Codebook = {
    y: number,
    ...Object.fromEntries(names.map((name) => [name, number])),
  };
  const raw = names.map(draw);
  const size = Math.sqrt((1 - options.left) / raw.reduce((sum, w) => sum + w * w, 0));
  const truth = [0.2, ...raw.map((w) => w * size)];
  return {
    one: caseOf(`y ~ ${names.join(' + ')}`, codebook, terms),
    truth,
    rows: (count) =>
      Array.from({ length: count }, () => {
        const x = names.map(draw);
        const mean = x.reduce((sum, value, j) => sum + value * truth[j + 1], truth[0]);
        return [mean + Math.sqrt(options.left) * draw(), ...x];
      }),
  };
}

function squaredDistance(estimates: Float64Array, truth: readonly number[]): number {
  return truth.reduce((sum, value, k) => sum + (estimates[k] - value) ** 2, 0);
}

describe('a total whose noise is next to nothing', () => {
  const terms: PrivacyTerms = { ...row, epsilon: 1000 };
  const codebook: Codebook = {
    y: { type: 'number', range: [-40, 60], center: 10, sd: 8 },
    x: { type: 'number', range: [10, 30] },
    z: { type: 'number', range: [-2, 2], sd: 1 },
    g: { type: 'category', levels: ['a', 'b', 'c'] },
  };
  const draw = normals(seededWords(11));
  const words = seededWords(12);
  const rows: Row[] = Array.from({ length: 12_000 }, () => {
    const x = Math.min(30, Math.max(10, 20 + 3 * draw()));
    const z = Math.min(2, Math.max(-2, draw()));
    const g = words() % 3;
    return [10 + 0.9 * (x - 20) + 2 * z - 3 * (g === 1 ? 1 : 0) + 3 * draw(), x, z, g];
  });
  const columnsOf = ([, x, z, g]: Row) => ({ x, z, b: g === 1 ? 1 : 0, c: g === 2 ? 1 : 0 });

  it('is least squares of rows weighted by 1/‖a‖², in the user’s units', () => {
    const one = privateCase('y ~ x + z + g', codebook, terms);
    const fit = solvedFrom(one, summarize(one, rows).statistic);
    const wanted = weightedLeastSquares(
      rows.map((cells) => {
        const { x, z, b, c } = columnsOf(cells);
        const a = [(x - 20) / (20 / 6), z, 2 * b - 1, 2 * c - 1];
        const length = 1 + a.reduce((sum, value) => sum + value * value, 0);
        return { x: [1, x, z, b, c], y: cells[0], weight: 1 / length };
      }),
    );
    expect(fit.terms).toEqual(['(Intercept)', 'x', 'z', 'gb', 'gc']);
    wanted.forEach((value, k) => {
      expect(Math.abs(fit.estimates[k] - value), fit.terms[k]).toBeLessThan(2e-4);
    });
    expect(fit.rows).toBe(12_000);
    expect(fit.kept.smallest).toBeGreaterThan(0.9999);
    expect(fit.residual).toBeCloseTo(3, 1);
  });

  it('has no constant where there is no intercept', () => {
    const one = privateCase('y ~ x + z - 1', codebook, terms);
    const fit = solvedFrom(one, summarize(one, rows).statistic);
    const unit = Math.hypot(20, 20 / 6);
    const wanted = weightedLeastSquares(
      rows.map(([y, x, z]) => ({ x: [x, z], y, weight: 1 / ((x / unit) ** 2 + z * z) })),
    );
    expect(fit.terms).toEqual(['x', 'z']);
    expect(fit.columns).toBe(2);
    expect(fit.scaled[0]).toBe(0);
    wanted.forEach((value, k) => {
      expect(Math.abs(fit.estimates[k] - value)).toBeLessThan(2e-4);
    });
    expect(fit.residual).toBeUndefined();
  });
});

describe('solvers on a noisy total', () => {
  // Squared distance of the coefficients; 0.0128 − 0.0097 and 0.0945 − 0.0097 in the research table.
  const most = [
    [1, 0.0031],
    [0.1, 0.085],
  ] as const;
  it.each(chosen(most, 1))(
    'the cleaner beats the simple ridge, AdaSSP and a plain solve: n = 8000, d = 20, ε = %f',
    (epsilon, most) => {
      const distance = { cleaner: 0, ridge: 0, adassp: 0, plain: 0 };
      const seeds = 6;
      for (let seed = 1; seed <= seeds; seed++) {
        const { one, truth, rows } = simulated(19, { ...row, epsilon }, { seed, left: 0.01 });
        const total = noisyTotal(one, summarize(one, rows(8000), 8000).statistic, 100 + seed);
        for (const solver of ['cleaner', 'ridge', 'adassp'] as const) {
          const fit = solvedFrom({ ...one, terms: { ...one.terms, solver } }, total);
          distance[solver] += squaredDistance(fit.estimates, truth) / seeds;
        }
        const { gram, moment } = noisyProducts(total);
        const system = Array.from(moment, (h, i) => [...gram.subarray(20 * i, 20 * i + 20), h]);
        distance.plain += squaredDistance(Float64Array.from(eliminated(system)), truth) / seeds;
      }
      expect(distance.cleaner).toBeLessThan(most);
      for (const other of ['ridge', 'adassp', 'plain'] as const) {
        expect(distance.cleaner, other).toBeLessThan(0.85 * distance[other]);
      }
    },
  );

  it('expects the noise of every site that adds its own', () => {
    const { one, rows } = simulated(
      4,
      { ...row, epsilon: 1, placement: 'local' },
      { seed: 5, left: 0.3 },
    );
    const total = summarize(one, rows(500)).statistic;
    const alone = solvedFrom(one, total, 1);
    const many = solvedFrom(one, total, 9);
    for (const part of ['gram', 'moment', 'square', 'count'] as const) {
      expect(many.sigma[part]).toBeCloseTo(3 * alone.sigma[part], 9);
    }
    expect(many.kept.mean).toBeLessThan(alone.kept.mean);
  });

  it('keeps a gram exact where the response alone is private, also if it is singular', () => {
    const codebook: Codebook = {
      y: { type: 'number', range: [-3, 3], center: 0, sd: 1 },
      x: { type: 'number', range: [-3, 3], sd: 1 },
      z: { type: 'number', range: [-3, 3], sd: 1 },
    };
    const draw = normals(seededWords(3));
    const rows = Array.from({ length: 900 }, () => {
      const x = Math.max(-3, Math.min(3, draw()));
      return [Math.max(-3, Math.min(3, 0.6 * x + 0.8 * draw())), x, x];
    });
    for (const solver of ['cleaner', 'ridge', 'adassp'] as const) {
      const terms: PrivacyTerms = { ...row, epsilon: 2, protects: 'labels', solver };
      const one = privateCase('y ~ x + z', codebook, terms);
      const fit = solvedFrom(one, noisyTotal(one, summarize(one, rows).statistic, 4));
      expect(fit.rows).toBe(900);
      expect(fit.sigma).toMatchObject({ gram: 0, count: 0 });
      expect(Math.abs(fit.estimates[1] - fit.estimates[2])).toBeLessThan(1e-3);
      expect(fit.estimates[1] + fit.estimates[2]).toBeCloseTo(0.6, 0);
      expect(fit.errors).toHaveProperty('none');
    }
  });

  it('says so where no row is left, if the number of rows is exact', () => {
    const { one } = simulated(
      2,
      { ...row, epsilon: 1, neighbours: 'replace-one' },
      { seed: 1, left: 0.5 },
    );
    const none = resolvePrivate(summarize(one, []).statistic, one.terms, one.layout);
    expect(none).toMatchObject({ problem: 'no rows are left' });
  });

  it('stays finite on noise alone', () => {
    const { one } = simulated(6, { ...row, epsilon: 0.1 }, { seed: 1, left: 0.5 });
    for (let seed = 1; seed < 20; seed++) {
      const fit = solvedFrom(one, noisyTotal(one, summarize(one, []).statistic, seed));
      expect(fit.estimates.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('standard errors that include the noise', () => {
  const covered: readonly (readonly [string, number, number])[] = [
    ['noise larger than sampling', 1, 0.2],
    ['sampling larger than noise', 6, 0.7],
  ];
  it.each(chosen(covered, 1))('cover what they promise: %s', (_, epsilon, left) => {
    const fits = enduring ? 170 : 60;
    let covered = 0;
    let told = 0;
    for (let seed = 1; seed <= fits; seed++) {
      const { one, truth, rows } = simulated(3, { ...row, epsilon }, { seed, left });
      const fit = solvedFrom(
        one,
        noisyTotal(one, summarize(one, rows(1200), 1200).statistic, seed),
      );
      if (!('covariance' in fit.errors)) continue;
      const { covariance } = fit.errors;
      truth.forEach((value, k) => {
        told++;
        const error = Math.sqrt(covariance[k * truth.length + k]);
        if (Math.abs(fit.estimates[k] - value) < 1.96 * error) covered++;
      });
    }
    expect(told).toBeGreaterThan(0.9 * fits * 4);
    expect(covered / told).toBeGreaterThan(0.93);
    expect(covered / told).toBeLessThan(0.99); // not by being too wide
  });

  it('are none where the noise shrinks the coefficients', () => {
    const { one, rows } = simulated(9, { ...row, epsilon: 0.5 }, { seed: 2, left: 0.3 });
    const fit = solvedFrom(one, noisyTotal(one, summarize(one, rows(400)).statistic, 2));
    expect(fit.errors).toMatchObject({ none: expect.stringContaining('noise is too large') });
  });

  it('are none where the public SD of the response is far too small', () => {
    const { one, rows } = simulated(3, { ...row, epsilon: 5 }, { seed: 2, left: 0.3 });
    const wide = rows(2000).map(([y, ...x]) => [Math.max(-9, Math.min(9, 3 * y)), ...x]);
    const fit = solvedFrom(one, noisyTotal(one, summarize(one, wide).statistic, 2));
    expect(fit.errors).toMatchObject({ none: expect.stringContaining('clipped') });
  });
});
