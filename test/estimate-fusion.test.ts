import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclude, resultOf } from '../src/conclude.ts';
import { joinSummaries, readContribution } from '../src/federate.ts';
import { inUserUnits, userCovariance } from '../src/fusion/public-units.ts';
import type { TermRow } from '../src/model/inference.ts';
import { reportText } from '../src/model/report-text.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { estimatesOf } from '../src/statistic/estimate.ts';
import { entriesOf } from '../src/statistic/layout.ts';
import { fractionBitsOf } from '../src/statistic/linear-layout.ts';
import { ringDoubleDouble } from '../src/statistic/ring.ts';
import { type LinearStatistic, rowCount, statisticBytes } from '../src/statistic/statistic.ts';
import type { EstimateFusion } from '../src/study/study.ts';
import { contributionsOf, type Dealt, dealtSets, reportOf } from './estimate-sites.ts';
import { agreement, collect, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData } from './shared-data.ts';
import { everyRow, studyOf, summaryOf } from './tables.ts';

type Numbers = Readonly<Record<string, number>>;
interface Combined {
  readonly weights: readonly number[];
  readonly estimates: Numbers;
  readonly within: readonly (readonly number[])[];
  readonly between: Numbers;
  readonly freedom: number;
}
interface VectorSet extends Readonly<Record<EstimateFusion['kind'], Combined>> {
  readonly set: string;
  readonly formula: string;
  readonly lambda: number;
  readonly sites: readonly {
    readonly site: string;
    readonly n: number;
    readonly estimates: Numbers;
    readonly covariance: readonly (readonly number[])[];
    readonly ridge: Numbers;
  }[];
}
const { sets }: { readonly sets: readonly VectorSet[] } = JSON.parse(
  readFileSync(new URL('vectors/estimates.json', import.meta.url), 'utf8'),
);
const close = 1e-9;

function agreedOn({ table }: Dealt, formula: string, fusion: EstimateFusion) {
  return agreement(studyOf(table, formula, { fusion }));
}

/** A site's coefficients as R names them. */
function ownEstimates(statistic: LinearStatistic): Numbers {
  const { terms, estimates } = inUserUnits(
    estimatesOf(statistic)[0].coefficients,
    statistic.layout,
  );
  return Object.fromEntries(terms.map((term, k) => [term, estimates[k]]));
}

function expectSame(actual: Numbers, expected: Numbers): void {
  expect(Object.keys(actual)).toEqual(Object.keys(expected));
  for (const [name, value] of Object.entries(expected))
    expectRelative(actual[name], value, close, name);
}

const column = (terms: readonly TermRow[], key: 'estimate' | 'std.error'): Numbers =>
  Object.fromEntries(terms.map((row) => [row.term, row[key]!]));

describe.each(sets.filter(({ set }) => set === 'penguins' || hasSharedData))(
  '$set, against R',
  (vector) => {
    const dealt = dealtSets[vector.set]();
    const { formula, lambda } = vector;

    it('each site sends n, lm’s coefficients and their covariance', () => {
      const agreed = agreedOn(dealt, formula, { kind: 'average', covariance: true });
      const sent = contributionsOf(agreed, dealt);
      vector.sites.forEach(({ site, n, estimates, covariance }, k) => {
        const { statistic } = sent[k];
        expect([sent[k].site, rowCount(statistic)]).toEqual([site, n]);
        expectSame(ownEstimates(statistic), estimates);
        const told = userCovariance(estimatesOf(statistic)[0].covariance!, agreed.layout);
        covariance.flat().forEach((value, at) => {
          expectRelative(told[at], value, 1e-8, `covariance ${at}`);
        });
      });
    });

    it('with a ridge, each site sends its own ridge regression', () => {
      const agreed = agreedOn(dealt, formula, { kind: 'fesc', ridge: lambda });
      contributionsOf(agreed, dealt).forEach(({ statistic }, k) => {
        expectSame(ownEstimates(statistic), vector.sites[k].ridge);
      });
    });

    it.each(['average', 'fesc'] as const)(
      '%s: weights, estimates and both kinds of errors',
      (kind) => {
        const wanted = vector[kind];
        const bare = agreedOn(dealt, formula, { kind });
        const report = reportOf(bare, contributionsOf(bare, dealt));
        report.estimates!.weights.forEach(({ site, n, weight }, k) => {
          expect([site, n]).toEqual([vector.sites[k].site, vector.sites[k].n]);
          expect(Math.abs(weight - wanted.weights[k])).toBeLessThan(1e-15);
        });
        expectSame(column(report.terms!, 'estimate'), wanted.estimates);
        expectSame(column(report.terms!, 'std.error'), wanted.between);
        expect(report.errors).toBe('between-sites');
        expectRelative(report.freedom as number, wanted.freedom, close, 'freedom');
        const told = agreedOn(dealt, formula, { kind, covariance: true });
        const known = reportOf(told, contributionsOf(told, dealt));
        expectSame(column(known.terms!, 'estimate'), wanted.estimates);
        const deviations = wanted.within.map((row, k) => Math.sqrt(row[k]));
        expectSame(
          column(known.terms!, 'std.error'),
          Object.fromEntries(Object.keys(wanted.estimates).map((name, k) => [name, deviations[k]])),
        );
        expect([known.errors, known.freedom]).toEqual(['within-sites', 'normal']);
      },
    );
  },
);

const penguins = dealtSets.penguins();
const formula = 'body_mass ~ bill_length + flipper_length + sex';

describe('a contribution of one’s own estimate', () => {
  it('is read back from its bytes, and is far smaller than sums', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'fesc' });
    const [made] = contributionsOf(agreed, penguins);
    const decoded = readContribution(agreed, encodeContribution(made));
    expect(decoded).toEqual({ contribution: made });
    expect([entriesOf(agreed.layout), entriesOf(agreed.rowsLayout)]).toEqual([5, 15]);
    expect(made.statistic.values.byteLength).toBe(80);
  });

  it('has the same bits however the rows were cut and ordered', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'average', covariance: true });
    const rows = penguins.sites.biscoe;
    const bytesOf = (parts: readonly (readonly number[])[]) => {
      const summaries = parts.map((part, k) => summaryOf(agreed, penguins.table, part, 7 + 31 * k));
      const { statistic } = contribution(
        agreed,
        'biscoe',
        joinSummaries(agreed.rowsLayout, summaries),
      );
      return statisticBytes(statistic);
    };
    const whole = bytesOf([rows]);
    expect(bytesOf([rows.slice(90).toReversed(), rows.slice(0, 20), rows.slice(20, 90)])).toEqual(
      whole,
    );
  });

  it('adds up to the plain average and its covariance, which the total alone tells', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'average', covariance: true });
    const sent = contributionsOf(agreed, penguins);
    const { total } = collect(agreed, sent);
    const [vector] = sets;
    expectSame(ownEstimates(total), vector.average.estimates);
    const covariance = userCovariance(estimatesOf(total)[0].covariance!, agreed.layout);
    vector.average.within.flat().forEach((value, at) => {
      expectRelative(covariance[at], value, 1e-8, `covariance ${at}`);
    });
    expect(rowCount(total)).toBe(333);
  });

  it('made of two messages counts as the average of both', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'average' });
    const made = contributionsOf(agreed, penguins);
    const again = [...made.slice(0, 3), { ...made[3], site: 'torgersen', sequence: 2 }];
    const apart = reportOf(agreed, made);
    const together = resultOf(agreed, collect(agreed, again), [
      { name: 'biscoe' },
      { name: 'dream' },
      { name: 'torgersen' },
    ]);
    if ('problem' in together) throw new Error(together.problem);
    expect(together.report.estimates!.weights.map(({ n }) => n)).toEqual([163, 123, 47]);
    expect(column(together.report.terms!, 'estimate')).toEqual(column(apart.terms!, 'estimate'));
  });

  it('holds several responses', () => {
    const agreed = agreedOn(penguins, 'cbind(body_mass, bill_depth) ~ bill_length + sex', {
      kind: 'fesc',
      covariance: true,
    });
    const both = reportOf(agreed, contributionsOf(agreed, penguins));
    for (const response of ['body_mass', 'bill_depth']) {
      const alone = agreedOn(penguins, `${response} ~ bill_length + sex`, {
        kind: 'fesc',
        covariance: true,
      });
      const { terms } = reportOf(alone, contributionsOf(alone, penguins));
      expect(both.responses!.find((one) => one.response === response)!.terms).toEqual(terms);
    }
  });

  it('without an intercept holds slopes alone', () => {
    const agreed = agreedOn(penguins, 'body_mass ~ bill_length + flipper_length - 1', {
      kind: 'average',
    });
    const one = contribution(
      agreed,
      'all',
      summaryOf(agreed, penguins.table, everyRow(penguins.table)),
    );
    const exact = agreement({ ...agreed.study, fusion: { kind: 'ridge', ridge: 0 } });
    const pooled = reportOf(exact, [
      contribution(exact, 'all', summaryOf(exact, penguins.table, everyRow(penguins.table))),
    ]);
    expectSame(ownEstimates(one.statistic), column(pooled.terms!, 'estimate'));
  });
});

describe('a report of averaged estimates', () => {
  it('does not depend on the order in which sites came', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'fesc', ridge: 1 });
    const rows = [...penguins.sites.biscoe, ...penguins.sites.dream];
    const names = Array.from({ length: 9 }, (_, k) => `site ${k}`);
    const dealt = names.map((_, k) => rows.filter((_, r) => r % 10 === k || r % 10 === 9 - k));
    const sites = Object.fromEntries(names.map((name, k) => [name, dealt[k]]));
    const sent = contributionsOf(agreed, { ...penguins, sites });
    const { terms, digest } = reportOf(agreed, sent);
    for (let from = 1; from < sent.length; from++) {
      const turned = reportOf(agreed, [...sent.slice(from), ...sent.slice(0, from)]);
      expect([turned.terms, turned.digest]).toEqual([terms, digest]);
    }
  });

  it('of one site is its own fit, and has no errors to tell of', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'fesc' });
    const sent = contributionsOf(agreed, penguins).slice(0, 1);
    const report = reportOf(agreed, sent);
    expectSame(column(report.terms!, 'estimate'), sets[0].sites[0].estimates);
    expect(Object.keys(report.terms![0])).toEqual(['term', 'estimate']);
    expect(report.errors).toBeUndefined();
    expect(report.glance).toEqual({ nobs: 163 });
  });

  it('under a ridge gives errors, but no test and no interval', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'average', ridge: 3 });
    const { terms, ridge } = reportOf(agreed, contributionsOf(agreed, penguins));
    expect(ridge).toEqual({ value: 3, rule: 'given' });
    for (const row of terms!) expect(Object.keys(row)).toEqual(['term', 'estimate', 'std.error']);
  });

  it('says in words what it is not, what exact sums would cost, and who counts', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'fesc' });
    const text = reportText(reportOf(agreed, contributionsOf(agreed, penguins)));
    expect(text).toContain('80 bytes of numbers a site');
    expect(text).toContain('The exact statistic takes 240 bytes');
    expect(text).toContain('This is not the same fit');
    expect(text).toContain('1 of 4 sites is too small to count');
    expect(text).toMatch(/islet +10 +0 +0\.0000/);
    const [first] = contributionsOf(agreed, penguins);
    expect(reportText(reportOf(agreed, [first]))).toContain('With one site, this is the same fit');
  });

  it('tells a site that sums over its rows follow from a covariance, as they do', () => {
    const fusion = { kind: 'average', covariance: true } as const;
    const agreed = agreedOn(penguins, 'body_mass ~ bill_length', fusion);
    const summary = summaryOf(agreed, penguins.table, penguins.sites.dream);
    const [{ covariance }] = estimatesOf(contribution(agreed, 'dream', summary).statistic);
    // V = σ²(XᵀX)⁻¹ of (1, u), so Σu = −n·V₀₁/V₁₁ and Σu² = n·V₀₀/V₁₁.
    const [v00, v01, , v11] = covariance!;
    const { values, layout } = summary.statistic;
    const sum = (index: number) => ringDoubleDouble(values, 4, index, fractionBitsOf(layout)).hi;
    expectRelative((-summary.rows * v01) / v11, sum(1), 1e-9, 'Σu');
    expectRelative((summary.rows * v00) / v11, sum(3), 1e-9, 'Σu²');
    for (const words of [agreed.method.text.whoSees, agreed.method.text.leaves]) {
      expect(words.join(' ')).toContain('sums over your rows can be worked out');
    }
    const { study } = agreedOn(penguins, formula, { kind: 'average' });
    expect(agreement(study).method.text.whoSees.join(' ')).not.toMatch(/sums/);
  });

  it('answers no question that needs sums, and passes the rules for totals by its rows', () => {
    const agreed = agreedOn(penguins, formula, { kind: 'average' });
    const sent = collect(agreed, contributionsOf(agreed, penguins));
    for (const inquiry of [
      { questions: [{ about: 'anova' as const }] },
      { questions: [], without: ['sex'] },
      { questions: [], method: { kind: 'ridge' as const, ridge: 1 } },
    ]) {
      expect(resultOf(agreed, sent, [], inquiry)).toEqual({
        problem: expect.stringContaining('their own estimates, not sums'),
        remedy: expect.stringContaining('ridge fusion'),
      });
    }
    const everyone = { sites: [], audience: 'everyone' } as const;
    expect(conclude(agreed, sent, everyone)).toHaveProperty('report');
    const few = agreedOn(penguins, 'body_mass ~ 1', { kind: 'average' });
    const two = contribution(few, 'a', summaryOf(few, penguins.table, [0, 1]));
    expect(conclude(few, collect(few, [two]), everyone)).toMatchObject({ withheld: true });
  });
});
