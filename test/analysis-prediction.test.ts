import { describe, expect, it } from 'vitest';
import { prediction, predictionText } from '../src/analysis/prediction.ts';
import { restrictDesign } from '../src/features/restrict-design.ts';
import { errorsOf } from '../src/model/errors.ts';
import type { SiteEffects } from '../src/model/fit.ts';
import { plainInk } from '../src/text/text-table.ts';
import {
  analysis,
  analysisTable,
  answered,
  casesWith,
  declined,
  evidenceOf,
  evidenceOfCase,
} from './analysis-evidence.ts';
import { expectRelative } from './relative.ts';
import { everyRow, tableOf } from './tables.ts';

const tolerance = 1e-9;
const here = { x1: 61.5, x2: 44, x3: 2.5, f3: 'b', f4: 'mid' };
const first = evidenceOfCase(analysis.cases[0]);

describe('the model at one row', () => {
  it.each(casesWith('prediction'))('is predict.lm’s: %s', (_, one) => {
    for (const truth of one.prediction!) {
      const got = answered(prediction(evidenceOfCase(one), truth.at, truth.level));
      expectRelative(got.fitted, truth.fitted, tolerance, 'fitted');
      expectRelative(got['std.error'], truth.se, tolerance, 'std.error');
      expectRelative(got['conf.low'], truth.conf[0], tolerance, 'conf.low');
      expectRelative(got['conf.high'], truth.conf[1], tolerance, 'conf.high');
      expectRelative(got['pred.low'], truth.pred[0], tolerance, 'pred.low');
      expectRelative(got['pred.high'], truth.pred[1], tolerance, 'pred.high');
    }
  });

  it('keeps its digits far from the intercept', () => {
    const year = Array.from({ length: 30 }, (_, r) => 1_700_000_000 + r * 3);
    const y = year.map((value, r) => (value - 1_700_000_000) / 8 + ((r * 7) % 5) / 4);
    const near = evidenceOf(tableOf({ year: year.map((v) => v - 1_700_000_000), y }), 'y ~ year');
    const far = evidenceOf(tableOf({ year, y }), 'y ~ year');
    const truth = answered(prediction(near, { year: 43 }, 0.95));
    const got = answered(prediction(far, { year: 1_700_000_043 }, 0.95));
    for (const key of ['fitted', 'std.error', 'conf.low', 'pred.high', 'leverage'] as const) {
      expectRelative(got[key], truth[key]!, tolerance, key);
    }
  });

  it('has leverage 1/n in the middle of the data and says when it is far', () => {
    const table = tableOf({ x: [1, 2, 3, 4, 5], y: [2, 1, 4, 3, 6] });
    const evidence = evidenceOf(table, 'y ~ x', {}, 1);
    expect(answered(prediction(evidence, { x: 3 }, 0.95)).leverage).toBeCloseTo(0.2, 14);
    const far = answered(prediction(evidence, { x: 40 }, 0.95));
    expect(predictionText(far, plainInk)).toContain('far from the data');
  });

  it('of rows the model was made of averages to the average leverage', () => {
    const sum = everyRow(analysisTable).reduce((total, r) => {
      const at = Object.fromEntries(
        Object.keys(here).map((name) => [name, analysis.table[name][r]!]),
      );
      return total + answered(prediction(first, at, 0.95)).leverage!;
    }, 0);
    const { averageLeverage } = answered(prediction(first, here, 0.95));
    expect(sum / 120).toBeCloseTo(averageLeverage!, 12);
  });

  it('takes the errors of the fit where it has its own', () => {
    const { covariance } = errorsOf(first.fit, 0)!;
    const doubled = covariance.map((entry) => 4 * entry);
    const fit = {
      ...first.fit,
      errors: [{ kind: 'clustered', covariance: doubled, freedom: 2 } as const],
    };
    const plain = answered(prediction(first, here, 0.95));
    const got = answered(prediction({ ...first, fit }, here, 0.95));
    expectRelative(got['std.error'], 2 * plain['std.error']!, tolerance, 'std.error');
    expectRelative(
      got['conf.high']! - got.fitted,
      4.302652729749464 * got['std.error']!, // qt(0.975, 2)
      tolerance,
      'reach',
    );
  });

  it('has no interval under a penalty', () => {
    const evidence = evidenceOf(analysisTable, 'y ~ x1 + f3', {
      fusion: { kind: 'ridge', ridge: 5 },
    });
    const got = answered(prediction(evidence, { x1: 50, f3: 'c' }, 0.95));
    expect(Object.keys(got)).toEqual(['about', 'at', 'level', 'fitted']);
    const [a, x, , c] = evidence.fit.models[0].estimates;
    expectRelative(got.fitted, a + 50 * x + c, tolerance, 'fitted');
    expect(predictionText(got, plainInk)).toContain('no interval');
  });

  it('needs nothing that only terms left out speak of', () => {
    const design = restrictDesign(first.design, ['x3', 'f4']);
    const smaller = evidenceOf(analysisTable, 'y ~ x1 + x2 + f3');
    const at = { x1: 50, x2: 40, f3: 'a' };
    const got = prediction({ ...smaller, study: first.study, design }, at, 0.95);
    expect(got).toEqual(prediction(smaller, at, 0.95));
  });

  it.each([
    [{ ...here, x4: 1 }, 'the model has no column x4'],
    [{ x1: 1 }, 'no value for x2 was given'],
    [{ ...here, f4: 'middle' }, 'f4 has no level middle'],
    [{ ...here, x1: 'tall' }, 'x1 must be a number'],
    [{ ...here, y: 3 }, 'the model has no column y'],
  ])('says what is wrong with %o', (at, problem) => {
    expect(declined(prediction(first, at, 0.95)).problem).toBe(problem);
  });

  it('reads numbers that came as text, and refuses levels that are none', () => {
    const text = { ...here, x1: '61.5' };
    expect(answered(prediction(first, text, 0.95)).fitted).toBe(
      answered(prediction(first, here, 0.95)).fitted,
    );
    expect(declined(prediction(first, here, 1)).problem).toContain('not between 0 and 1');
  });

  it('has no value where a term has none', () => {
    const evidence = evidenceOf(tableOf({ x: [1, 2, 3, 4], y: [2, 1, 4, 3] }), 'y ~ log(x)', {}, 1);
    expect(declined(prediction(evidence, { x: -1 }, 0.95)).problem).toContain('log(x)');
  });
});

describe('where sites have intercepts of their own', () => {
  const effects = (kind: SiteEffects['kind']): SiteEffects => ({
    kind,
    statistic: 1,
    df: 2,
    'p.value': 0.5,
    sites: ['a', 'b', 'c'].map((site) => ({ site, estimate: 0 })),
  });
  // f3 stands in for the sites: the columns are the same, and named as `.site` would be.
  const wide = evidenceOf(analysisTable, 'y ~ x1 + f3');
  const narrow = evidenceOf(analysisTable, 'y ~ x1');
  const renamed = (names: readonly string[]) => names.map((name) => name.replace(/^f3/, '.site'));
  const { equations, models } = wide.fit;
  const fixed = {
    ...narrow,
    fit: {
      ...wide.fit,
      siteEffects: effects('fixed'),
      equations: {
        ...equations,
        layout: { ...equations.layout, columns: renamed(equations.layout.columns) },
      },
      models: models.map((model) => ({ ...model, terms: renamed(model.terms) })),
    },
  };

  it('the site must be said', () => {
    expect(declined(prediction(fixed, { x1: 50 }, 0.95)).remedy).toContain('one of a, b, c');
    expect(declined(prediction(fixed, { x1: 50, '.site': 'd' }, 0.95)).problem).toContain('site d');
  });

  it.each(['a', 'b', 'c'])('the answer is that site’s: %s', (site) => {
    const got = answered(prediction(fixed, { x1: 50, '.site': site }, 0.95));
    const truth = answered(prediction(wide, { x1: 50, f3: site }, 0.95));
    expect({ ...got, at: {} }).toEqual({ ...truth, at: {} });
  });

  it('random ones are left out, and so is where a new row would fall', () => {
    const random = { ...narrow, fit: { ...narrow.fit, siteEffects: effects('random') } };
    const got = answered(prediction(random, { x1: 50 }, 0.95));
    expect(got).not.toHaveProperty('pred.low');
    expect(got).toHaveProperty('conf.low');
    expect(declined(prediction(random, { x1: 50, '.site': 'a' }, 0.95)).remedy).toContain('.site');
  });
});
