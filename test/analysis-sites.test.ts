import { describe, expect, it } from 'vitest';
import { anova, anovaText } from '../src/analysis/anova.ts';
import { collinearity } from '../src/analysis/collinearity.ts';
import { comparison } from '../src/analysis/comparison.ts';
import { contrast } from '../src/analysis/contrast.ts';
import { describeColumns } from '../src/analysis/description.ts';
import { partialCorrelations } from '../src/analysis/partial-correlations.ts';
import { prediction } from '../src/analysis/prediction.ts';
import type { QueryInput } from '../src/analysis/query-input.ts';
import { standardized } from '../src/analysis/standardized.ts';
import { clusteredErrors } from '../src/between-sites/clustered-errors.ts';
import { fixedEffects } from '../src/between-sites/fixed-effects.ts';
import { resolveRandom } from '../src/between-sites/random-intercept.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import { withSiteColumns } from '../src/statistic/site-columns.ts';
import { plainInk } from '../src/text/text-table.ts';
import { analysis, analysisTable, answered, declined, evidenceOf } from './analysis-evidence.ts';
import { expectRelative } from './relative.ts';
import { everyRow } from './tables.ts';

const tolerance = 1e-9;

describe('errors clustered by site', () => {
  it.each(analysis.clustered)('in the tests of car::Anova(vcov. =): weights $weights', (truth) => {
    const { weights } = truth;
    const choices = weights === undefined ? {} : { weights };
    const plain = evidenceOf(analysisTable, truth.formula, choices, 6);
    const errors = [answered(clusteredErrors(plain.fit, 0, plain.sites!, 'HC1'))];
    const evidence = { ...plain, fit: { ...plain.fit, errors } };
    const got = answered(anova(evidence));
    expect(got.test).toBe('Wald F');
    expect(got.rows.at(-1)).toEqual({ term: 'Residuals', df: 5 });
    truth.term.forEach((term, k) => {
      const row = got.rows[k];
      expect([row.term, row.df]).toEqual([term, truth.df[k]]);
      expectRelative(row.statistic, truth.statistic[k], tolerance, `F of ${term}`);
      expectRelative(row['p.value'], truth.p[k], tolerance, `p of ${term}`);
    });
    const dropped = answered(comparison(evidence, ['f4']));
    const last = truth.term.indexOf('f4');
    expectRelative(dropped.statistic, truth.statistic[last], tolerance, 'F without f4');
    const levels = answered(contrast(evidence, ['f4low', 'f4mid', 'f4high']));
    expectRelative(levels.joint!.statistic, truth.statistic[last], tolerance, 'joint F');
    const at = answered(prediction(evidence, { x1: 61.5, x3: 2.5, f4: 'mid' }, 0.95));
    expectRelative(at.fitted, truth.fitted, tolerance, 'fitted');
    expectRelative(at['std.error'], truth.se, tolerance, 'std.error of the mean');
    expect(anovaText(got, plainInk)).toContain('Type III Wald F tests');
  });
});

/** The sites of a table's rows r, r + k, … as a category, whose effects are those of the sites. */
function withSites(sites: number): typeof analysisTable {
  const levels = Array.from({ length: sites }, (_, k) => `site-${k}`);
  return {
    ...analysisTable,
    codebook: { ...analysisTable.codebook, place: { type: 'category', levels } },
    cells: {
      ...analysisTable.cells,
      place: Float64Array.from(everyRow(analysisTable), (r) => r % sites),
    },
  };
}

function fixedEvidence(formula: string): QueryInput {
  const pooled = evidenceOf(analysisTable, formula, {}, 4);
  const parts = pooled.sites!;
  const fit = answered(resolveRidge(withSiteColumns(parts), { kind: 'ridge', ridge: 0 }));
  const siteEffects = answered(fixedEffects(fit, pooled.fit, parts));
  return { ...pooled, fit: { ...fit, siteEffects } };
}

describe.each(['y ~ x1 + f3', 'y ~ x1 - 1'])('sites with fixed effects: %s', (formula) => {
  const evidence = fixedEvidence(formula);
  const written = evidenceOf(withSites(4), `${formula} + place`, {}, 4);
  const named = (text: string) => text.replace(/^place/, '.site');

  it('are a term like a category of the formula', () => {
    const got = answered(anova(evidence)).rows;
    const truth = answered(anova(written)).rows;
    expect(got.map(({ term }) => term)).toEqual(truth.map(({ term }) => named(term)));
    got.forEach((row, k) => {
      expect(row.df).toBe(truth[k].df);
      expectRelative(row.sumsq, truth[k].sumsq!, 1e-11, row.term);
    });
    const dropped = answered(comparison(evidence, ['.site']));
    expectRelative(
      dropped.statistic,
      answered(comparison(written, ['place'])).statistic,
      1e-11,
      'F of the sites',
    );
    expect(answered(collinearity(evidence)).terms.map(({ term }) => term)).toContain('.site');
  });

  it('are predicted for one of them', () => {
    const at = formula.includes('f3') ? { x1: 47, f3: 'c' } : { x1: 47 };
    for (const site of ['site-0', 'site-3']) {
      const got = answered(prediction(evidence, { ...at, '.site': site }, 0.9));
      const truth = answered(prediction(written, { ...at, place: site }, 0.9));
      for (const key of ['fitted', 'std.error', 'pred.low', 'leverage'] as const) {
        expectRelative(got[key], truth[key]!, 1e-11, key);
      }
    }
    expect(declined(prediction(evidence, at, 0.9)).remedy).toContain('.site');
  });

  it('are held fixed but not listed among the columns', () => {
    const names = answered(describeColumns(evidence)).columns.map(({ column }) => column);
    expect(names.some((name) => name.startsWith('.site'))).toBe(false);
    const rows = answered(partialCorrelations(evidence)).terms;
    const truth = answered(partialCorrelations(written)).terms;
    expect(rows.length).toBeLessThan(truth.length);
    for (const row of rows) {
      const same = truth.find(({ term }) => term === row.term)!;
      expectRelative(row.partial, same.partial, 1e-11, row.term);
    }
    expect(answered(standardized(evidence)).terms).toHaveLength(rows.length);
  });
});

describe('sites with a random intercept', () => {
  const pooled = evidenceOf(withSites(4), 'y ~ x1 + f3', {}, 4);
  const fit = answered(resolveRandom(pooled.total, pooled.sites!, 'random'));
  const evidence = { ...pooled, fit };

  it('have chi-square tests, no sums of squares and no comparison by them', () => {
    const got = answered(anova(evidence));
    expect(got.test).toBe('Wald chi-square');
    const { estimates } = fit.models[0];
    const slope = got.rows.find(({ term }) => term === 'x1')!;
    const error = Math.sqrt(fit.errors![0].covariance[1 * estimates.length + 1]);
    expectRelative(slope.statistic, (estimates[1] / error) ** 2, 1e-12, 'χ² of one coefficient');
    expect(declined(comparison(evidence, ['f3'])).remedy).toContain('anova');
  });

  it('leave what is about the columns as it was', () => {
    expect(collinearity(evidence)).toEqual(collinearity(pooled));
    expect(partialCorrelations(evidence)).toEqual(partialCorrelations(pooled));
    expect(describeColumns(evidence)).toEqual(describeColumns(pooled));
  });
});
