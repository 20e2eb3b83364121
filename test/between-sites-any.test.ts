import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clusteredErrors } from '../src/between-sites/clustered-errors.ts';
import { coverage } from '../src/between-sites/coverage.ts';
import { coverageText } from '../src/between-sites/coverage-text.ts';
import { fixedEffects } from '../src/between-sites/fixed-effects.ts';
import { heterogeneity } from '../src/between-sites/heterogeneity.ts';
import { heterogeneityText } from '../src/between-sites/heterogeneity-text.ts';
import { influence } from '../src/between-sites/influence.ts';
import { influenceText } from '../src/between-sites/influence-text.ts';
import { resolveRandom } from '../src/between-sites/random-intercept.ts';
import { sanity, sanityText } from '../src/between-sites/sanity.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import { withSiteColumns } from '../src/statistic/site-columns.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { anyFormula, anyTable, everyRow, studyOf, summaryOf } from './tables.ts';

/** Where a value holds a number that JSON cannot. */
function unprintable(value: unknown, path: string): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path} = ${value}`];
  if (ArrayBuffer.isView(value)) return unprintable([...(value as Float64Array)], path);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => unprintable(member, `${path}.${key}`));
}

// Missing cells, constant and absurdly scaled columns, weights of 0, empty sites, more terms than rows.
it('every table has answers without a hole: numbers, or a problem with advice', () => {
  fc.assert(
    fc.property(
      anyTable(40),
      anyFormula,
      fc.array(fc.nat(4), { minLength: 40, maxLength: 40 }),
      fc.constantFrom(undefined, 'w'),
      fc.constantFrom(0, 0.5),
      (table, formula, owners, weights, ridge) => {
        const choices = weights === undefined ? {} : { weights };
        const agreed = agreement(studyOf(table, formula, choices));
        const parts = [0, 1, 2, 3, 4].map((site) => {
          const rows = everyRow(table).filter((r) => owners[r] === site);
          return { site: `s${site}`, statistic: summaryOf(agreed, table, rows).statistic };
        });
        const total = sumStatistics(
          agreed.layout,
          parts.map(({ statistic }) => statistic),
        );
        const fusion = { kind: 'ridge', ridge } as const;
        const model = resolveRidge(total, fusion);
        if ('problem' in model) return;
        const wide = resolveRidge(withSiteColumns(parts), fusion);
        const mixed = resolveRandom(total, parts, 'random');
        const texts: string[] = [];
        const check = (name: string, found: object) => {
          expect(unprintable(found, name)).toEqual([]);
        };
        const words = <T extends object>(name: string, found: T, text: (t: T) => string) => {
          check(name, found);
          if (!('problem' in found)) texts.push(text(found));
        };
        words('heterogeneity', heterogeneity(total, parts, 0), (h) =>
          'problem' in h ? '' : heterogeneityText(h),
        );
        words('coverage', coverage(total, parts, 0, model.penalty), (c) =>
          'problem' in c ? '' : coverageText(c),
        );
        words('sanity', sanity(total, parts), sanityText);
        for (const one of [model, wide, mixed]) {
          if ('problem' in one) continue;
          words('influence', influence(one, 0, parts), (i) =>
            'problem' in i ? '' : influenceText(i),
          );
          const { siteEffects = {} } = one;
          check('siteEffects', siteEffects);
          const robust = clusteredErrors(one, 0, parts, 'HC1');
          if (!('problem' in robust)) check('covariance', robust.covariance);
        }
        if (!('problem' in wide)) check('fixed', fixedEffects(wide, model, parts));
        expect(texts.join('\n')).not.toMatch(/NaN|undefined|Infinity/);
      },
    ),
    { numRuns: cases(100) },
  );
});
