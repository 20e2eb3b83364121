import { describe, expect, it } from 'vitest';
import type { Fit } from '../src/model/fit.ts';
import { distance, rounds } from './glm-rounds.ts';
import { studyOf, type Table, tableOf } from './tables.ts';

/** Uniform numbers in (0, 1), the same for the same seed (mulberry32). */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

interface Simulated {
  readonly table: Table;
  readonly sites: number[][];
  readonly formula: string;
}

/** 3 to 12 sites of 30 to 500 rows, 2 to 12 predictors; sites differ in predictors and coefficients by `spread`. */
function simulate(seed: number, family: 'binomial' | 'poisson', spread: number): Simulated {
  const uniform = uniforms(seed);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const p = 2 + Math.floor(uniform() * 11);
  const names = Array.from({ length: p }, (_, j) => `x${j + 1}`);
  const beta = [family === 'binomial' ? -0.5 : 0.3, ...names.map(() => normal() / 2)];
  const columns: Record<string, number[]> = {
    y: [],
    ...Object.fromEntries(names.map((n) => [n, []])),
  };
  const sites: number[][] = [];
  const count = 3 + Math.floor(uniform() * 10);
  for (let k = 0; k < count; k++) {
    const rows = Math.floor(30 * (500 / 30) ** uniform());
    const own = beta.map((b) => b + (normal() * spread) / 2);
    const centres = names.map(() => normal() * spread);
    const first = columns.y.length;
    for (let r = 0; r < rows; r++) {
      const x = centres.map((centre) => Math.round(100 * (centre + normal())) / 100);
      const eta =
        own.reduce((s, b, j) => s + b * (j === 0 ? 1 : x[j - 1]), 0) / Math.sqrt(1 + p / 10);
      columns.y.push(
        family === 'binomial'
          ? Number(uniform() < 1 / (1 + Math.exp(-eta)))
          : poisson(Math.exp(Math.min(eta, 4)), uniform),
      );
      for (const [j, name] of names.entries()) columns[name].push(x[j]);
    }
    sites.push(Array.from({ length: rows }, (_, r) => first + r));
  }
  return { table: tableOf(columns), sites, formula: `y ~ ${names.join(' + ')}` };
}

function poisson(mean: number, uniform: () => number): number {
  let product = uniform();
  let events = 0;
  for (; product > Math.exp(-mean); events++) product *= uniform();
  return events;
}

/** Estimated over measured deviations: in one round, and after one more. */
function ratios(family: 'binomial' | 'poisson', spreads: readonly number[]): [number, number][] {
  return spreads.flatMap((spread, s) =>
    Array.from({ length: 8 }, (_, k): [number, number] => {
      const { table, sites, formula } = simulate(1000 * s + k, family, spread);
      const study = studyOf(table, formula, { fusion: { kind: 'glm', family } });
      const fits = rounds(study, table, sites, 4);
      return [ratio(fits[0], fits[4]), ratio(fits[1], fits[4])];
    }),
  );
}

function ratio(fit: Fit, pooled: Fit): number {
  const [model] = pooled.models;
  const answer = {
    terms: model.terms,
    estimate: [...model.estimates],
    std_error: Array.from(model.unscaledVariances, Math.sqrt),
    logLik: 0,
  };
  return fit.glm!.deviation / distance(fit, answer);
}

const quantile = (values: readonly number[], p: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(p * values.length)];

describe('the estimated deviation is of the size of the measured one, and mostly above it', () => {
  it.each([
    ['binomial', [0, 0.1, 0.3, 0.8]],
    ['poisson', [0, 0.1, 0.2, 0.3]],
  ] as const)('%s', (family, spreads) => {
    const both = ratios(family, spreads);
    for (const round of [0, 1] as const) {
      const found = both.map((pair) => pair[round]);
      expect(quantile(found, 0.5), `median of round ${round}`).toBeLessThan(3);
      expect(quantile(found, 0.2), `a fifth of round ${round}`).toBeGreaterThan(1);
    }
  });
});
