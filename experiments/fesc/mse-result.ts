import { packedLength } from '../../src/numeric/gram.ts';
import {
  type ExperimentResult,
  type ResultFigure,
  type ResultPoint,
  type ResultTable,
  resultSpread,
} from '../paper-result.ts';
import { meanEstimate, quantile, reachOf, type SimulatedEstimate } from './estimates.ts';
import { laws } from './laws.ts';
import { conclusionsOf, differencesOf } from './mse-text.ts';
import { reachText } from './reach-text.ts';
import { type Runs, ratios } from './runs.ts';
import { gammas } from './streams.ts';
import { type FescPlan, meanSize } from './trial.ts';

const estimators = [
  { key: 'centralised', name: 'exact fusion', role: 'exact' },
  { key: 'average', name: 'plain average', role: 'other' },
  { key: 'fesc', name: 'FESC', role: 'other' },
] as const;

/** Largest ratio to the centralised error that counts as reaching it. */
const limits = [1.05, 1.1, 1.25, 1.5, 2, 3] as const;

export function mseResult(
  plan: FescPlan,
  runs: Runs,
  pooledGap: number,
  seconds: number,
): ExperimentResult {
  return {
    id: 'mse',
    title: 'Error by γ: plain average, FESC and the exact fusion',
    about: about(plan),
    seconds,
    tables: [byGamma(plan, runs), smallestGammas(runs), bytesOfSite(plan)],
    figures: [histogram(plan, runs), errorsByGamma(runs), ratiosByGamma(runs), runByRun(runs)],
    differences: differencesOf(plan, runs),
    conclusions: conclusionsOf(runs, pooledGap),
  };
}

function about({ law, nodes, dimension }: FescPlan): string {
  return [
    `${nodes} sites with ${dimension} features; sizes by the ${laws[law].title} law of mean ${nodes}^γ, rounded to the nearest whole number and at least 1.`,
    'θ* is uniform on [0, 1], features and noise are standard normal, λ = 1/√N, no intercept (Algorithm 2).',
    'Error is ‖θ̂ − θ*‖². Each run at each γ draws anew. Bands are 95 % limits of the mean, by Student’s law.',
    'The centralised estimator is the exact fusion: ridge on the sum of the sites’ Gram matrices, which is that of the pooled rows. It needs no condition on the sizes.',
  ].join(' ');
}

function byGamma(plan: FescPlan, { byGamma }: Runs): ResultTable {
  const ratio = (above: readonly number[], below: readonly number[]) => ({
    measured: { mean: resultSpread(above).mean / resultSpread(below).mean, count: above.length },
  });
  return {
    id: 'gamma',
    title: `Error by γ, ${laws[plan.law].title}`,
    of: 'γ',
    columns: [
      { label: 'm^γ' },
      { label: 'rows a site' },
      { label: 'centralised = exact' },
      { label: 'plain average' },
      { label: 'FESC' },
      { label: 'plain / centralised', form: 'ratio' },
      { label: 'FESC / centralised', form: 'ratio' },
      { label: 'sites FESC keeps' },
    ],
    rows: byGamma.map((at, g) => ({
      label: gammas[g]!.toFixed(1),
      cells: [
        { measured: { mean: meanSize(plan.nodes, g), count: 1 } },
        { measured: resultSpread(at.size) },
        { measured: resultSpread(at.centralised) },
        { measured: resultSpread(at.average) },
        { measured: resultSpread(at.fesc) },
        ratio(at.average, at.centralised),
        ratio(at.fesc, at.centralised),
        { measured: resultSpread(at.kept) },
      ],
    })),
  };
}

function smallestGammas(runs: Runs): ResultTable {
  const plain = ratios(runs, 'average');
  const fesc = ratios(runs, 'fesc');
  return {
    id: 'reached',
    title:
      'Smallest γ from which the mean error stays within a factor of the centralised one; in brackets, by its 95 % limits',
    of: 'within a factor of',
    columns: [{ label: 'plain average' }, { label: 'FESC' }, { label: 'exact fusion' }],
    rows: limits.map((limit) => ({
      label: String(limit),
      cells: [
        { text: reachText(reachOf(plain, limit)) },
        { text: reachText(reachOf(fesc, limit)) },
        { text: 'any γ' },
      ],
    })),
  };
}

/** Bytes of a site's numbers, without the envelope: θ and n as doubles, or the exact statistic of (1, x, y) with 16 bytes per entry. */
function bytesOfSite({ dimension }: FescPlan): ResultTable {
  const row = (label: string, bytes: number) => ({
    label,
    cells: [{ measured: { mean: bytes, count: 1 } }],
  });
  return {
    id: 'bytes',
    title: 'What a site sends, envelope aside, at every γ',
    of: 'fusion',
    columns: [{ label: 'bytes', form: 'bytes' }],
    rows: [
      row('plain average or FESC: θ and n', 8 * (dimension + 1)),
      row('exact: sums of products', 16 * packedLength(dimension + 2)),
    ],
  };
}

function histogram(plan: FescPlan, { histogram: { width, counts, beyond } }: Runs): ResultFigure {
  const nodes = counts.reduce((sum, count) => sum + count, beyond);
  const used = counts.flatMap((count, bin) => (count > 0 ? [bin] : []));
  const first = used[0] ?? 0;
  const points = counts
    .slice(first, (used.at(-1) ?? 0) + 1)
    .map((count, k) => ({ x: (first + k) * width, to: (first + k + 1) * width, y: count / nodes }));
  const above = beyond === 0 ? '' : `; ${((100 * beyond) / nodes).toPrecision(2)} % lie beyond`;
  return {
    id: 'histogram',
    title: `Rows a site at γ = ${gammas.at(-1)}: ${laws[plan.law].title}, all runs${above}`,
    kind: 'histogram',
    x: { label: 'rows a site' },
    y: { label: 'share of sites' },
    series: [{ name: laws[plan.law].title, role: 'other', points }],
  };
}

function errorsByGamma(runs: Runs): ResultFigure {
  const title = 'Mean error by γ (bands: 95 % limits of the mean)';
  return lines('mse', title, 'error ‖θ̂ − θ*‖²', (key) =>
    runs.byGamma.map((at) => banded(meanEstimate(at[key]))),
  );
}

function runByRun(runs: Runs): ResultFigure {
  const title = 'Median run by γ (bands: the middle 80 % of runs)';
  return lines('runs', title, 'error ‖θ̂ − θ*‖²', (key) =>
    runs.byGamma.map((at) => {
      const sorted = Float64Array.from(at[key]).sort();
      return { y: quantile(sorted, 0.5), low: quantile(sorted, 0.1), high: quantile(sorted, 0.9) };
    }),
  );
}

function ratiosByGamma(runs: Runs): ResultFigure {
  const title = 'Mean error over that of the exact fusion (bands: 95 % limits)';
  return lines('ratio', title, 'times the exact error', (key) =>
    key === 'centralised' ? gammas.map(() => ({ y: 1 })) : ratios(runs, key).map(banded),
  );
}

// A band that reaches 0 has no place on a logarithmic axis.
function banded({ value, low, high }: SimulatedEstimate): Omit<ResultPoint, 'x'> {
  if (low === undefined || high === undefined) return { y: value };
  return { y: value, low: Math.max(low, value / 10), high };
}

function lines(
  id: string,
  title: string,
  y: string,
  points: (key: (typeof estimators)[number]['key']) => readonly Omit<ResultPoint, 'x'>[],
): ResultFigure {
  return {
    id,
    title,
    kind: 'lines',
    x: { label: 'γ (a site has m^γ rows on average)' },
    y: { label: y, log: true },
    series: estimators.map(({ key, name, role }) => ({
      name,
      role,
      points: points(key).map((point, g) => ({ x: gammas[g]!, ...point })),
    })),
  };
}
