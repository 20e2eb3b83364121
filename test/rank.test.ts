import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder, writeSites } from './cli.ts';
import { answersOf, fitTable, type VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';

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
      expect(Math.abs(glance['r.squared'] - r2)).toBeLessThanOrEqual(tolerance);
      expect(glance['df.residual']).toBe(expected.df_residual);
    });
  });

  it('the text of the report says so', () => {
    const { x1, x2, x3, y } = vectors.tables.data;
    const lines = y.map((_, r) => [y[r], x1[r], x2[r], x3[r]].join());
    const files = writeSites(folder, 'text', 'y,x1,x2,x3', lines, 2);
    const { code, stdout } = suffice('fit', 'y ~ x1 + x2 + x3', ...files);
    expect(code).toBe(0);
    expect(stdout).toMatch(/x3/);
    expect(stdout).toMatch(/alias|combination|not estimated/i);
  });
});
