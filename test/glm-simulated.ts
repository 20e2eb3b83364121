import { type Table, tableOf } from './tables.ts';

type Family = 'binomial' | 'poisson';

/** A study made up to see how far one round is from the pooled regression. */
export interface SimulatedStudy {
  readonly kind: SiteKind;
  readonly family: Family;
  readonly table: Table;
  readonly sites: readonly (readonly number[])[];
  readonly formula: string;
  /** The coefficients that made the responses; absent where every site has its own. */
  readonly truth?: readonly number[];
}

export const siteKinds = ['small', 'uneven', 'sorted', 'no events', 'large', 'differing'] as const;
export type SiteKind = (typeof siteKinds)[number];

/** Study number `seed`: its kind of sites and its family go round. */
export function simulatedStudy(seed: number): SimulatedStudy {
  const uniform = uniforms(seed);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const between = (low: number, high: number) => low + Math.floor(uniform() * (high - low + 1));
  const kind = siteKinds[seed % siteKinds.length];
  const family = Math.floor(seed / siteKinds.length) % 2 === 0 ? 'binomial' : 'poisson';
  const predictors = between(1, kind === 'large' ? 8 : 6);
  const sizes = siteSizes[kind](between, uniform);
  const spread = kind === 'differing' ? 0.3 * uniform() : 0;
  const level =
    kind === 'no events' ? { binomial: -3, poisson: -2.5 } : { binomial: -0.5, poisson: 0.3 };
  const size = 0.5 / Math.sqrt(predictors);
  const truth = [level[family], ...Array.from({ length: predictors }, () => 2 * normal() * size)];

  const rows = sizes.flatMap((count, site) => {
    const own = truth.map((b) => b + spread * normal());
    const centres = truth.slice(1).map(() => spread * normal());
    return Array.from({ length: count }, () => ({
      site,
      own,
      // Every other column is 0 or 1.
      x: centres.map((centre, j) =>
        j % 2 === 1 ? Number(uniform() < 0.3) : Math.round(100 * (centre + normal())) / 100,
      ),
    }));
  });
  if (kind === 'sorted') {
    const order = rows.map(({ x }) => x).sort((a, b) => a[0] - b[0]);
    rows.forEach((row, r) => {
      row.x = order[r];
    });
  }
  const y = rows.map(({ own, x }) => {
    const eta = x.reduce((sum, value, j) => sum + own[j + 1] * value, own[0]);
    return family === 'binomial'
      ? Number(uniform() < 1 / (1 + Math.exp(-eta)))
      : poisson(Math.exp(eta), uniform);
  });
  const names = truth.slice(1).map((_, j) => `x${j + 1}`);
  return {
    kind,
    family,
    table: tableOf({
      y,
      ...Object.fromEntries(names.map((name, j) => [name, rows.map(({ x }) => x[j])])),
    }),
    sites: sizes.map((_, site) => rows.flatMap((row, r) => (row.site === site ? [r] : []))),
    formula: `y ~ ${names.join(' + ')}`,
    ...(kind === 'differing' ? {} : { truth }),
  };
}

type Between = (low: number, high: number) => number;

const siteSizes: Readonly<Record<SiteKind, (between: Between, uniform: () => number) => number[]>> =
  {
    small: () => Array.from({ length: 30 }, () => 40),
    uneven: (between, uniform) =>
      Array.from({ length: between(3, 20) }, () => Math.floor(15 * 40 ** uniform())),
    sorted: (between) => Array.from({ length: between(3, 20) }, () => between(30, 150)),
    'no events': (between) => Array.from({ length: between(4, 20) }, () => between(20, 120)),
    large: (between) => Array.from({ length: between(2, 6) }, () => between(300, 1000)),
    differing: (between) => Array.from({ length: between(3, 12) }, () => between(50, 300)),
  };

/** Uniform numbers in (0, 1), the same for the same seed (mulberry32). */
function uniforms(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

function poisson(mean: number, uniform: () => number): number {
  let sum = -Math.log(uniform());
  let events = 0;
  for (; sum < mean; events++) sum -= Math.log(uniform());
  return events;
}
