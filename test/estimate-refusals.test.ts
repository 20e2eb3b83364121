import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { readContribution } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { estimateStatistic } from '../src/statistic/estimate.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import type { EstimateFusion, TableStudy } from '../src/study/study.ts';
import { contributionsOf, dealtSets } from './estimate-sites.ts';
import { agreement, contribution } from './linear.ts';
import { everyRow, studyOf, summaryOf, tableOf } from './tables.ts';

const penguins = dealtSets.penguins();
const formula = 'body_mass ~ bill_length + flipper_length + sex';

describe('a site whose rows do not determine its coefficients', () => {
  const tiny = tableOf({ y: [1, 4, 2, 8, 5, 7], x: [1, 2, 3, 4, 5, 6], z: [2, 4, 6, 8, 10, 12] });
  const send = (text: string, fusion: EstimateFusion, rows = everyRow(tiny)) => {
    const agreed = agreement(studyOf(tiny, text, { fusion }));
    return () => contribution(agreed, 'north', summaryOf(agreed, tiny, rows));
  };

  it.each([
    ['y ~ x + z', everyRow(tiny), 'z'],
    ['y ~ x', [2], 'x'],
  ])('of %s is refused, with the term and a remedy', (text, rows, term) => {
    const failure = caught(send(text, { kind: 'fesc' }, rows));
    expect(failure.problem).toBe(`the rows of north do not determine ${term}`);
    expect(failure.remedy).toContain('ridge');
    expect(send(text, { kind: 'fesc', ridge: 0.1 }, rows)).not.toThrow();
  });

  it('is refused where no row is left over for the covariance, or it does not fit', () => {
    expect(caught(send('y ~ x', { kind: 'average', covariance: true }, [0, 1])).problem).toContain(
      'no covariance',
    );
    const near = tableOf({
      y: [1, 4, 2, 8, 5, 7],
      x: [1, 2, 3, 4, 5, 6],
      z: [1, 2, 3, 4, 5, 6 + 1e-9],
    });
    const agreed = agreement(
      studyOf(near, 'y ~ x + z', { fusion: { kind: 'average', covariance: true } }),
    );
    const failure = caught(() =>
      contribution(agreed, 'north', summaryOf(agreed, near, everyRow(near))),
    );
    expect(failure.problem).toContain('too large to send');
  });
});

function caught(act: () => unknown): DataError {
  try {
    act();
  } catch (failure) {
    if (failure instanceof DataError) return failure;
    throw failure;
  }
  throw new Error('nothing was refused');
}

describe('what no site could have sent', () => {
  const fusion = { kind: 'fesc', covariance: true } as const;
  const agreed = agreement(studyOf(penguins.table, formula, { fusion }));
  const [made] = contributionsOf(agreed, penguins);
  const unit = 1n << 64n;
  const entry = (index: number) => ringEntry(made.statistic.values, 4, index);
  it.each<[string, number, bigint, string]>([
    ['no rows', 0, 0n, 'rows'],
    ['half a row', 0, 5n * unit + unit / 2n, 'rows'],
    ['fewer rows than none', 0, -3n * unit, 'rows'],
    ['a coefficient beyond the ring', 2, unit << 50n, 'too large'],
    ['a negative variance', 5, -unit, 'variance of (Intercept) is negative'],
    ['a covariance above its variances', 6, 3n * entry(5) + 3n * entry(9), 'Cauchy–Schwarz'],
  ])('%s is refused', (_, index, value, reason) => {
    const values = made.statistic.values.slice();
    setRingEntry(values, 4, index, value);
    const file = encodeContribution({ ...made, statistic: { ...made.statistic, values } });
    const decoded = readContribution(agreed, file);
    expect(decoded).toEqual({ refused: expect.stringContaining(reason) });
  });

  it('a covariance that pairs of coefficients allow, and three together do not, is refused', () => {
    // Three correlations of −0.9: their sum would have a variance of 3 − 6 · 0.9.
    const covariance = Float64Array.from({ length: 16 }, (_, at) => (at % 5 === 0 ? 1 : -0.9));
    const estimate = { coefficients: new Float64Array(4), covariance };
    const statistic = estimateStatistic(agreed.layout, 20, [estimate]);
    if ('tooLarge' in statistic) throw new Error('it fits the ring');
    const file = encodeContribution({ ...made, statistic });
    expect(readContribution(agreed, file)).toEqual({
      refused: expect.stringContaining('negative variance'),
    });
  });

  it('a covariance of rows without noise is no such one, though rounding is all there is of it', () => {
    const x = [1, 2, 3, 4, 5, 6.5];
    const exact = tableOf({ y: x.map((value) => 3 * value + 0.1), x, z: [3, 1, 4, 1, 5, 9] });
    const own = agreement(studyOf(exact, 'y ~ x + z', { fusion }));
    const sent = contribution(own, 'north', summaryOf(own, exact, everyRow(exact)));
    const decoded = readContribution(own, encodeContribution(sent));
    expect(decoded).toHaveProperty('contribution');
  });
});

describe('a study that averages estimates', () => {
  const study = studyOf(penguins.table, formula, { fusion: { kind: 'fesc', ridge: 1 } });
  it('is read from JSON, and keeps to its keys', () => {
    expect(parseStudy(JSON.parse(JSON.stringify(study)))).toEqual(study);
    for (const more of [{ ridge: 'gcv' }, { ridge: -1 }, { errors: 'clustered' }]) {
      expect(() => parseStudy({ ...study, fusion: { kind: 'average', ...more } })).toThrow();
    }
  });

  it.each<[string, Partial<TableStudy>, string]>([
    ['weights', { weights: 'bill_depth' }, 'weighted rows'],
    ['compact arithmetic', { arithmetic: 'compact' }, 'compact arithmetic'],
    ['a category as its response', { formula: 'species ~ bill_length' }, 'category (species)'],
    [
      'a term of the site',
      {
        formula: `${formula} + .site`,
        codebook: { ...penguins.table.codebook, '.site': { type: 'category', levels: ['a', 'b'] } },
      },
      'term of the site',
    ],
    ['privacy', { privacy: { epsilon: 1, delta: 1e-6, unit: 'row' } }, 'own estimates'],
  ])('is refused with %s', (_, more, reason) => {
    const failure = caught(() => agreement({ ...study, ...more }));
    expect(failure.problem).toContain(reason);
    expect(failure.remedy).not.toBe('');
  });
});
