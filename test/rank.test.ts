import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder, writeSites } from './cli.ts';
import { cases } from './endurance.ts';
import { answersOf, fitTable, type VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';
import { everyRow, federated, studyOf, tableOf } from './tables.ts';

interface Case {
  readonly formula: string;
  readonly table: string;
  readonly weights?: string;
  readonly names: readonly string[];
  readonly df_residual: number;
  readonly responses: readonly {
    readonly coefficients: readonly (number | null)[];
    readonly errors: readonly (number | null)[];
    readonly sigma: number | null;
    readonly r2: number;
  }[];
}

// Made by test/vectors/rank.R.
const vectors: {
  readonly tables: Readonly<Record<string, VectorTable>>;
  readonly cases: readonly Case[];
} = JSON.parse(readFileSync(new URL('./vectors/rank.json', import.meta.url), 'utf8'));

const tolerance = 1e-9;

describe('a column that others explain is named and left out, as R does', () => {
  const folder = temporaryFolder();

  it.each(vectors.cases)('$formula ($table, weights $weights)', async (expected) => {
    const { formula, table, weights, names, responses } = expected;
    const report = await fitTable(
      folder,
      vectors.tables[table],
      formula,
      weights === undefined ? {} : { weights },
    );
    const kept = names.filter((_, k) => responses[0].coefficients[k] !== null);
    expect(report.aliased).toEqual(names.filter((name) => !kept.includes(name)));
    answersOf(report).forEach(({ terms, glance }, r) => {
      const { coefficients, errors, sigma, r2 } = responses[r];
      expect(terms.map(({ term }) => term)).toEqual(kept);
      for (const row of terms) {
        const k = names.indexOf(row.term);
        const [estimate, error] = [coefficients[k]!, errors[k]];
        // Zero up to R's own rounding is judged by the standard error.
        expect(Math.abs(row.estimate - estimate), row.term).toBeLessThanOrEqual(
          tolerance * Math.max(Math.abs(estimate), error ?? 0),
        );
        if (error === null) expect(row).not.toHaveProperty('std.error');
        else expectRelative(row['std.error'], error, tolerance, row.term);
      }
      if (sigma !== null) expectRelative(glance.sigma, sigma, tolerance, 'sigma');
      expect(Math.abs(glance['r.squared']! - r2)).toBeLessThanOrEqual(tolerance);
      expect(glance['df.residual']).toBe(expected.df_residual);
    });
  });

  it('the text of the report says so', async () => {
    const { x1, x2, x3, y } = vectors.tables.data;
    const lines = y.map((_, r) => [y[r], x1[r], x2[r], x3[r]].join());
    const files = writeSites(folder, 'text', 'y,x1,x2,x3', lines, 2);
    const { code, stdout } = await suffice('fit', 'y ~ x1 + x2 + x3', ...files);
    expect(code).toBe(0);
    expect(stdout).toMatch(/x3/);
    expect(stdout).toMatch(/alias|combination|not estimated/i);
  });
});

// Hundredths: x3 is the sum in decimals, hardly ever in doubles; with a large offset, not even close.
describe('x3 = x1 + x2 in decimals is found whatever the offset, the units and the grid', () => {
  const column = (values: readonly number[], unit: number) => values.map((k) => k / unit);
  const hundredths = fc.array(fc.integer({ min: -5000, max: 5000 }), {
    minLength: 30,
    maxLength: 30,
  });
  const tables = fc.record({
    x1: hundredths,
    x2: hundredths,
    x4: hundredths,
    y: hundredths,
    offset: fc.integer({ min: -10, max: 10 }).map((k) => Math.sign(k) * 10 ** Math.abs(k)),
    unit: fc.integer({ min: -9, max: 9 }).map((k) => 10 ** k),
  });
  it.each([44, 66, 88] as const)('on a grid of %d bits', (grid) => {
    fc.assert(
      fc.property(tables, ({ x1, x2, x4, y, offset, unit }) => {
        const table = tableOf({
          y: column(y, 100),
          x1: column(
            x1.map((k) => k + 100 * offset),
            100 * unit,
          ),
          x2: column(x2, 100 * unit),
          x3: column(
            x1.map((k, r) => k + 100 * offset + x2[r]),
            100 * unit,
          ),
          x4: column(x4, 7),
        });
        for (const [formula, aliased] of [
          ['y ~ x1 + x2 + x3 + x4', 'x3'],
          ['y ~ x4 + x3 + x2 + x1', 'x1'],
        ]) {
          const { report } = federated(studyOf(table, formula, { grid }), table, [everyRow(table)]);
          expect(report).toMatchObject({ aliased: [aliased] });
        }
      }),
      { numRuns: cases(100, 1 / 10), seed: 20265 },
    );
  });

  it('but a real difference of one unit in the seventh digit is no alias', () => {
    fc.assert(
      fc.property(tables, fc.nat(29), ({ x1, x2, y }, odd) => {
        fc.pre(new Set(x1).size > 3 && new Set(x2).size > 3);
        const x3 = x1.map((k, r) => k + x2[r] + (r === odd ? 0.01 : 0));
        const table = tableOf({
          y: column(y, 100),
          x1: column(x1, 100),
          x2: column(x2, 100),
          x3: column(x3, 100),
        });
        const { report } = federated(studyOf(table, 'y ~ x1 + x2 + x3'), table, [everyRow(table)]);
        expect(report).toMatchObject({ aliased: [] });
      }),
      { numRuns: cases(100, 1 / 10), seed: 20266 },
    );
  });
});
