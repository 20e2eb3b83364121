import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../src/failure.ts';
import { choosePenalty } from '../src/solve/choose.ts';
import type { ChosenPenalty } from '../src/solve/choose-curve.ts';
import { dealSites, leftOutGroups, leftOutRidges } from '../src/solve/left-out.ts';
import { foldOf, weightOf } from '../src/solve/left-out-fold.ts';
import { marginalLikelihood } from '../src/solve/marginal.ts';
import { type NormalEquations, normalEquations } from '../src/solve/normal-equations.ts';
import { type PenaltyScale, unitPenalty } from '../src/solve/penalty.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { type LinearStatistic, statistics, sumStatistics } from '../src/statistic/statistic.ts';
import type { RidgeFusion } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedJson, sharedLines } from './shared-data.ts';
import { anyTable, everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface Scored {
  readonly ridge: number;
  readonly score: number;
}

function vectorsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

// Made by test/vectors/choose.py from raw rows, without any cross-product.
const vectors = vectorsOf<{
  readonly sites: readonly string[];
  readonly table: Readonly<Record<string, readonly number[]>>;
  readonly cases: readonly {
    readonly formula: string;
    readonly weights: string | null;
    readonly scale: PenaltyScale;
    readonly 'leave-one-site-out': readonly (Scored & { readonly error: number })[];
    readonly 'k-fold': readonly (Scored & { readonly error: number })[];
    readonly 'marginal-likelihood': readonly Scored[];
  }[];
}>('choose.json');

const table = tableOf(vectors.table);
const tolerance = 1e-9;

interface Sent {
  readonly parts: readonly LinearSiteStatistic[];
  readonly total: LinearStatistic;
  readonly equations: NormalEquations;
}

function sent(
  from: Table,
  formula: string,
  weights: string | null,
  sites: readonly string[],
): Sent {
  const agreed = agreement(studyOf(from, formula, weights === null ? {} : { weights }));
  const parts = [...new Set(sites)].map((site) => {
    const rows = everyRow(from).filter((r) => sites[r] === site);
    return { site, statistic: summaryOf(agreed, from, rows).statistic };
  });
  const total = sumStatistics(
    agreed.layout,
    parts.map(({ statistic }) => statistic),
  );
  return { parts, total, equations: normalEquations(total) };
}

function chosenBy(
  { total, equations, parts }: Sent,
  fusion: Omit<RidgeFusion, 'kind'>,
): ChosenPenalty {
  const chosen = outcomeOf({ total, equations, parts }, fusion);
  if ('problem' in chosen) throw new Error(chosen.problem);
  return chosen;
}

function outcomeOf(
  {
    total,
    equations,
    parts,
  }: Omit<Sent, 'parts'> & { parts: readonly LinearSiteStatistic[] | undefined },
  fusion: Omit<RidgeFusion, 'kind'>,
): ChosenPenalty | Failure {
  const unit = unitPenalty(equations, fusion.standardize === true ? 'standardized' : 'raw');
  return choosePenalty(total, equations, unit, { kind: 'ridge', ...fusion }, parts);
}

function groupsOf(parts: readonly LinearSiteStatistic[], count: number): LinearStatistic[] {
  const groups = leftOutGroups(parts, count);
  if ('problem' in groups) throw new Error(groups.problem);
  return groups;
}

describe.each(vectors.cases)('$formula, $scale penalty, weights $weights', (truth) => {
  const { parts, total, equations } = sent(table, truth.formula, truth.weights, vectors.sites);
  const unit = unitPenalty(equations, truth.scale);
  const ridges = truth['k-fold'].map(({ ridge }) => ridge);

  it.each([
    ['leave-one-site-out', parts.length],
    ['k-fold', 3],
  ] as const)('%s scores as raw rows do', (rule, folds) => {
    const curve = leftOutRidges(total, equations, unit, groupsOf(parts, folds), ridges);
    truth[rule].forEach(({ score, error }, l) => {
      expectRelative(curve[l].score, score, tolerance, `score at ${ridges[l]}`);
      expectRelative(curve[l].error, error, tolerance, `error at ${ridges[l]}`);
    });
  });

  it('the marginal likelihood is that of the rows', () => {
    const score = marginalLikelihood(equations, unit, 1e-6);
    for (const point of truth['marginal-likelihood']) {
      expectRelative(score(point.ridge), point.score, tolerance, `at ${point.ridge}`);
    }
  });
});

describe('what the rules pick', () => {
  const data = sent(table, 'y ~ a + b + c + d', null, vectors.sites);

  it.each(['leave-one-site-out', 'k-fold', 'marginal-likelihood', 'gcv'] as const)(
    '%s: no point of its curve is better, and the flat stretch holds it',
    (ridge) => {
      const chosen = chosenBy(data, { ridge, standardize: true });
      expect(chosen.rule).toBe(ridge);
      expect(chosen.curve).toHaveLength(100);
      for (const { score } of chosen.curve) {
        expect(score).toBeGreaterThanOrEqual(chosen.score - 1e-12 * Math.abs(chosen.score));
      }
      expect(chosen.minimum).toBe(chosen.ridge);
      expect(chosen.flat[0]).toBeLessThan(chosen.ridge * 1.3219);
      expect(chosen.flat[1]).toBeGreaterThan(chosen.ridge / 1.3219);
    },
  );

  it('the marginal likelihood is flat where it is smallest', () => {
    const { ridge, score } = chosenBy(data, { ridge: 'marginal-likelihood', standardize: true });
    const at = marginalLikelihood(
      data.equations,
      unitPenalty(data.equations, 'standardized'),
      1e-6,
    );
    expectRelative(at(ridge), score, 1e-12, 'score');
    expect(at(ridge * 1.001)).toBeGreaterThan(score);
    expect(at(ridge / 1.001)).toBeGreaterThan(score);
  });

  it('one standard error prefers the largest ridge within it', () => {
    const least = chosenBy(data, { ridge: 'leave-one-site-out' });
    const strong = chosenBy(data, { ridge: 'leave-one-site-out', prefer: 'one-standard-error' });
    const { score, error } = least.curve.find(({ ridge }) => ridge === least.ridge)!;
    const within = least.curve.filter((point) => point.score <= score + error!);
    expect(strong.ridge).toBe(Math.max(...within.map(({ ridge }) => ridge)));
    expect(strong.ridge).toBeGreaterThan(least.ridge);
    expect(strong.minimum).toBe(least.ridge);
    expect(strong.flat).toEqual([Math.min(...within.map(({ ridge }) => ridge)), strong.ridge]);
  });

  it('does not depend on the order in which sites arrive', () => {
    const turned = { ...data, parts: [...data.parts].reverse() };
    for (const ridge of ['leave-one-site-out', 'k-fold'] as const) {
      expect(chosenBy(turned, { ridge })).toEqual(chosenBy(data, { ridge }));
    }
  });

  it('k-fold deals sites by name, in turn, and never to more groups than there are', () => {
    const names = (count: number) =>
      dealSites(data.parts, count).map((group) => group.map(({ site }) => site));
    expect(names(3)).toEqual([
      ['alpha', 'delta', 'golf'],
      ['bravo', 'echo'],
      ['charlie', 'foxtrot'],
    ]);
    expect(names(50)).toHaveLength(7);
    const alone = chosenBy(data, { ridge: 'leave-one-site-out' });
    expect(chosenBy(data, { ridge: 'k-fold', folds: 50 }).curve).toEqual(alone.curve);
  });

  it('a site without rows changes nothing', () => {
    const empty = { site: 'zulu', statistic: statistics(data.total.layout).zero };
    const more = { ...data, parts: [...data.parts, empty] };
    expect(chosenBy(more, { ridge: 'leave-one-site-out' })).toEqual(
      chosenBy(data, { ridge: 'leave-one-site-out' }),
    );
  });

  it.each([
    ['hidden sites', { ...data, parts: undefined }, 'leave-one-site-out', /hides its sites/],
    ['hidden sites', { ...data, parts: undefined }, 'k-fold', /hides its sites/],
    ['one site', { ...data, parts: data.parts.slice(0, 1) }, 'leave-one-site-out', /at least two/],
    ['no predictor', sent(table, 'y ~ 1', null, vectors.sites), 'gcv', /a ridge has nothing/],
    [
      'a constant response',
      sent(
        tableOf({ ...vectors.table, y: vectors.table.y.map(() => 2) }),
        'y ~ a',
        null,
        vectors.sites,
      ),
      'marginal-likelihood',
      /same in every row/,
    ],
  ] as const)('%s: says why %s', (_, from, ridge, words) => {
    expect(outcomeOf(from, { ridge })).toEqual({
      problem: expect.stringMatching(words),
      remedy: expect.any(String),
    });
  });
});

describe('a fold', () => {
  it('is the normal equations of the sites that stay', () => {
    fc.assert(
      fc.property(anyTable(40), fc.constantFrom('y ~ a + b + g', 'y ~ a + c - 1'), (any, text) => {
        const sites = everyRow(any).map((r) => `s${r % 3}`);
        const { parts, total, equations } = sent(any, text, 'w', sites);
        const [first, ...others] = parts;
        const stay = sumStatistics(
          total.layout,
          others.map(({ statistic }) => statistic),
        );
        const truth = normalEquations(stay);
        fc.pre(truth.rows > 0);
        const { train } = foldOf(equations, weightOf(total), first.statistic);
        const scale = (e: NormalEquations, i: number) =>
          equations.equilibration[i] / e.equilibration[i];
        for (let i = 0; i < train.width; i++) {
          for (let j = 0; j < train.width; j++) {
            const at = i * train.width + j;
            const expected = truth.matrix.hi[at] * scale(truth, i) * scale(truth, j);
            // Of the total's size: what is left may be far smaller.
            expect(Math.abs(train.hi[at] - expected)).toBeLessThanOrEqual(
              1e-15 + 1e-13 * Math.abs(expected),
            );
          }
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it('keeps the small errors of nearly perfect predictions', () => {
    const x = Array.from({ length: 60 }, (_, k) => Math.sin(3 * k) + k / 20);
    const noise = Array.from(
      { length: 60 },
      (_, k) => Math.round(Math.cos(7 * k * k) * 1e3) / 1e10,
    );
    const near = tableOf({ x, y: x.map((v, k) => 2 * v + noise[k]) });
    const sites = x.map((_, k) => `s${k % 3}`);
    const data = sent(near, 'y ~ x', null, sites);
    const unit = unitPenalty(data.equations, 'raw');
    const [{ score }] = leftOutRidges(
      data.total,
      data.equations,
      unit,
      groupsOf(data.parts, 3),
      [1e-9],
    );
    expectRelative(score, leftOutByHand(x, Array.from(near.cells.y), 1e-9), 1e-5, 'score');
  });
});

/** Leave-one-site-out of one column by its sums over rows about their means. */
function leftOutByHand(x: readonly number[], y: readonly number[], ridge: number): number {
  let loss = 0;
  for (let site = 0; site < 3; site++) {
    const stay = x.map((_, k) => k).filter((k) => k % 3 !== site);
    const mean = (v: readonly number[]) => stay.reduce((s, k) => s + v[k], 0) / stay.length;
    const [mx, my] = [mean(x), mean(y)];
    // The slope as 2 and a remainder, so that rounding stays small.
    const rest = (k: number) => y[k] - my - 2 * (x[k] - mx);
    const sxx = stay.reduce((s, k) => s + (x[k] - mx) ** 2, 0);
    const sxr = stay.reduce((s, k) => s + (x[k] - mx) * rest(k), 0);
    const more = (sxr - 2 * ridge) / (sxx + ridge);
    x.forEach((v, k) => {
      if (k % 3 === site) loss += (rest(k) - more * (v - mx)) ** 2;
    });
  }
  return loss / x.length;
}

describe.skipIf(!hasSharedData)('wine quality, left-out colours', () => {
  const files = () =>
    ['red', 'white'].map((site) => sharedLines('wine-quality', 'sites', `${site}.csv`));

  function wine(): Sent {
    const [red, white] = files();
    const names = red.header.split(',');
    const rows = [...red.lines, ...white.lines].map((line) => line.split(',').map(Number));
    const from = tableOf(Object.fromEntries(names.map((n, j) => [n, rows.map((row) => row[j])])));
    const sites = rows.map((_, r) => (r < red.lines.length ? 'red' : 'white'));
    return sent(from, `quality ~ ${names.slice(0, -1).join(' + ')}`, null, sites);
  }

  it('scores as the reference does, to nine digits', () => {
    const { loso_cv: truth } = sharedJson<{
      readonly loso_cv: { readonly lambda: readonly number[]; readonly mse: readonly number[] };
    }>('wine-quality', 'reference_ridge.json');
    const { parts, total, equations } = wine();
    const unit = unitPenalty(equations, 'standardized');
    const curve = leftOutRidges(total, equations, unit, groupsOf(parts, 2), truth.lambda);
    truth.mse.forEach((mse, l) => {
      expectRelative(curve[l].score, mse, 1e-9, `λ = ${truth.lambda[l]}`);
    });
  });

  it('agrees with 50-digit arithmetic where raw columns differ by a factor of 20,000', () => {
    const { points } = vectorsOf<{ readonly points: readonly Scored[] }>('choose-wine.json');
    const { parts, total, equations } = wine();
    const unit = unitPenalty(equations, 'raw');
    const ridges = points.map(({ ridge }) => ridge);
    const curve = leftOutRidges(total, equations, unit, groupsOf(parts, 2), ridges);
    points.forEach(({ ridge, score }, l) => {
      expectRelative(curve[l].score, score, 1e-9, `λ = ${ridge}`);
    });
  });
});
