import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anova } from '../src/analysis/anova.ts';
import { collinearity, collinearityText } from '../src/analysis/collinearity.ts';
import { comparison } from '../src/analysis/comparison.ts';
import { components, componentsText } from '../src/analysis/components.ts';
import { contrast } from '../src/analysis/contrast.ts';
import { covarianceAnswer, covarianceText } from '../src/analysis/covariance.ts';
import { describeColumns, descriptionText } from '../src/analysis/description.ts';
import {
  partialCorrelations,
  partialCorrelationsText,
} from '../src/analysis/partial-correlations.ts';
import type { QueryInput } from '../src/analysis/query-input.ts';
import { standardized, standardizedText } from '../src/analysis/standardized.ts';
import { trend } from '../src/analysis/trend.ts';
import { plainInk } from '../src/text/text-table.ts';
import {
  analysis,
  analysisTable,
  answered,
  casesWith,
  declined,
  evidenceOf,
  evidenceOfCase,
  vectorTable,
} from './analysis-evidence.ts';
import { cases } from './endurance.ts';
import { expectRelative } from './relative.ts';
import { anyFormula, anyTable, tableOf } from './tables.ts';

const tolerance = 1e-9;

/** Shares, loadings and correlations are held to the size of 1, not to their own. */
function expectAbsolute(got: number | null, expected: number, what: string): void {
  expect(Math.abs(got! - expected), `${what}: ${got} for ${expected}`).toBeLessThanOrEqual(
    tolerance,
  );
}

describe.each(casesWith('description'))('%s', (_, one) => {
  const evidence = evidenceOfCase(one);

  it('has R’s means, SDs and correlations', () => {
    const got = answered(describeColumns(evidence));
    got.columns.forEach(({ column, mean, sd }, k) => {
      expectRelative(mean, one.description!.mean[k], tolerance, `mean of ${column}`);
      expectRelative(sd, one.description!.sd[k], tolerance, `SD of ${column}`);
    });
    expect(got.columns).toHaveLength(one.description!.mean.length);
    got.correlations.forEach((row, i) => {
      row.forEach((r, j) => {
        expectAbsolute(r, one.description!.correlations[i][j], `correlation ${i}, ${j}`);
      });
    });
    expect(descriptionText(got, plainInk)).toContain('Columns over 120 rows');
  });

  it('has the slopes of lm over scaled columns', () => {
    const got = answered(standardized(evidence));
    const truth = one.standardized!;
    expect(got.terms.map(({ term }) => term)).toEqual(truth.term);
    got.terms.forEach((row, k) => {
      expectRelative(row.estimate, truth.estimate[k], tolerance, row.term);
      expectRelative(row['std.error'], truth.se[k], tolerance, `std.error of ${row.term}`);
      expectRelative(row.perSd, truth.perSd[k], tolerance, `per SD of ${row.term}`);
    });
    expect(standardizedText(got, plainInk)).toContain('SDs per SD');
  });

  it('has the correlations of residuals', () => {
    const got = answered(partialCorrelations(evidence));
    got.terms.forEach((row, k) => {
      const truth = one.partial![k];
      expect(row.term).toBe(truth.term);
      expectRelative(row.partial, truth.partial, tolerance, `partial of ${row.term}`);
      expectRelative(row.part, truth.part, tolerance, `part of ${row.term}`);
      expectRelative(row['p.value'], truth.p, tolerance, `p of ${row.term}`);
    });
    expect(partialCorrelationsText(got, plainInk)).toMatch(/x1 +0\.\d/);
  });

  it('has the components of prcomp(scale. = TRUE)', () => {
    const got = answered(components(evidence));
    const truth = one.components!;
    expect(got.columns).toEqual(truth.columns);
    got.components.forEach((component, k) => {
      expectRelative(component.sd, truth.sd[k], tolerance, `SD of PC${k + 1}`);
      expectRelative(component.proportion, truth.proportion[k], tolerance, 'proportion');
      component.loadings.forEach((loading, i) => {
        expectAbsolute(loading, truth.loadings[k][i], `PC${k + 1} of ${got.columns[i]}`);
      });
    });
    expect(got.components.at(-1)!.cumulative).toBeCloseTo(1, 12);
    expect(componentsText(got, plainInk)).toContain('PC1');
  });

  it('has R’s vcov()', () => {
    const got = answered(covarianceAnswer(evidence));
    expect(got.errors).toBe('classical');
    got.matrix.forEach((row, i) => {
      row.forEach((value, j) => {
        const truth = one.covariance!;
        const size = Math.sqrt(truth[i][i] * truth[j][j]);
        expect(Math.abs(value - truth[i][j])).toBeLessThanOrEqual(tolerance * size);
      });
    });
    expect(covarianceText(got, plainInk)).toContain('Covariance of the coefficients\n');
  });
});

describe('collinearity', () => {
  it.each(casesWith('collinearity'))('is car::vif and Belsley’s table: %s', (_, one) => {
    const got = answered(collinearity(evidenceOfCase(one)));
    const truth = one.collinearity!;
    truth.terms?.forEach((expected, k) => {
      const term = got.terms[k];
      expect([term.term, term.df]).toEqual([expected.term, expected.df]);
      expectRelative(term.gvif, expected.gvif, tolerance, `GVIF of ${term.term}`);
      expectRelative(term.scaled, expected.scaled, tolerance, `scaled GVIF of ${term.term}`);
    });
    expect(got.indices).toHaveLength(truth.indices.index.length);
    got.indices.forEach(({ eigenvalue, index, shares }, k) => {
      expectRelative(eigenvalue, truth.indices.eigenvalue[k], tolerance, `eigenvalue ${k}`);
      expectRelative(index, truth.indices.index[k], tolerance, `index ${k}`);
      Object.values(shares).forEach((share, j) => {
        expectAbsolute(share, truth.indices.shares[k][j], `share ${k}, ${j}`);
      });
    });
    expect(collinearityText(got, plainInk)).toContain('GVIF^(1/(2*Df))');
  });

  it('is that of mtcars', () => {
    const table = vectorTable(analysis.mtcars.table);
    const coded = {
      ...table,
      codebook: { ...table.codebook, cyl: { ...table.codebook.cyl, levels: ['4', '6', '8'] } },
    } as typeof table;
    const got = answered(collinearity(evidenceOf(coded, 'mpg ~ wt + hp + qsec + factor(cyl)')));
    got.terms.forEach(({ term, gvif }, k) => {
      expect(term).toBe(analysis.mtcars.gvif[k].term);
      expectRelative(gvif, analysis.mtcars.gvif[k].gvif, tolerance, term);
    });
  });

  it('is about the columns, whatever the penalty', () => {
    const formula = 'y ~ x1 + x2 + f3';
    const plain = answered(collinearity(evidenceOf(analysisTable, formula)));
    const ridge = { fusion: { kind: 'ridge', ridge: 50 } } as const;
    expect(answered(collinearity(evidenceOf(analysisTable, formula, ridge)))).toEqual(plain);
  });

  it('keeps the small eigenvalues of columns that are almost one', () => {
    const x = Array.from({ length: 40 }, (_, r) => r % 7);
    const z = x.map((value, r) => value + (r % 2 === 0 ? 1 : -1) * 2 ** -20);
    const y = x.map((value, r) => value + ((r * 37) % 11));
    const got = answered(collinearity(evidenceOf(tableOf({ x, z, y }), 'y ~ x + z - 1')));
    // XᵀX of unit columns is [[1, c], [c, 1]]: 1 − c² = (|x|²|e|² − (x·e)²)/(|x|²|z|²) for z = x + e.
    const dot = (a: readonly number[], b: readonly number[]) =>
      a.reduce((s, v, i) => s + v * b[i], 0);
    const e = z.map((value, r) => value - x[r]);
    const gap = (dot(x, x) * dot(e, e) - dot(x, e) ** 2) / (dot(x, x) * dot(z, z));
    const smallest = gap / (1 + Math.sqrt(1 - gap));
    expectRelative(got.indices[1].eigenvalue, smallest, 1e-9, 'smallest eigenvalue');
    expect(collinearityText(got, plainInk)).toContain('is carried by x (100 %), z (100 %)');
  });
});

describe('columns that do not vary', () => {
  const table = tableOf({ one: [3, 3, 3, 3, 3], x: [1, 2, 3, 4, 6], y: [1, 3, 2, 5, 4] });

  it('have no correlation and no part in components', () => {
    const evidence = evidenceOf(table, 'y ~ one + x');
    const got = answered(describeColumns(evidence));
    expect(got.columns[0]).toEqual({ column: 'one', mean: 3, sd: 0 });
    expect(got.correlations[0]).toEqual([null, null, null]);
    expect(answered(components(evidence)).columns).toEqual(['x']);
    expect(descriptionText(got, plainInk)).toContain('NA');
  });

  it('are told from rounding in compact arithmetic too', () => {
    const far = tableOf({
      one: Array.from({ length: 50 }, () => 0.1),
      x: Array.from({ length: 50 }, (_, r) => 1000 + (r % 3)),
      y: Array.from({ length: 50 }, (_, r) => (r * 7) % 11),
    });
    const got = answered(
      describeColumns(evidenceOf(far, 'y ~ one + x', { arithmetic: 'compact' })),
    );
    expect(got.columns.map(({ sd }) => sd > 0)).toEqual([false, true, true]);
  });

  it('leave a constant response without a standard deviation to count in', () => {
    expect(declined(standardized(evidenceOf(table, 'one ~ x'))).problem).toContain('does not vary');
  });

  it('are described about their means without an intercept too', () => {
    const [with_, without] = ['y ~ x', 'y ~ x - 1'].map((formula) =>
      answered(describeColumns(evidenceOf(table, formula))),
    );
    with_.columns.forEach(({ mean, sd }, k) => {
      expectRelative(without.columns[k].mean, mean, 1e-12, 'mean');
      expectRelative(without.columns[k].sd, sd, 1e-12, 'SD');
    });
  });
});

/** Undefined where a missing cell leaves no row. */
function someEvidence(...[table, formula, choices]: Parameters<typeof evidenceOf>) {
  try {
    return evidenceOf(table, formula, choices, 2);
  } catch (error) {
    if (String(error).includes('no rows are left')) return undefined;
    throw error;
  }
}

describe('whatever the table', () => {
  it('an answer has no number that JSON cannot hold, or it is a reason', () => {
    const questions = [
      describeColumns,
      standardized,
      partialCorrelations,
      components,
      collinearity,
      covarianceAnswer,
      anova,
      (evidence: QueryInput) => comparison(evidence, [evidence.design.terms[0]?.label ?? '']),
      (evidence: QueryInput) => contrast(evidence, evidence.fit.models[0].terms.slice(0, 2)),
      (evidence: QueryInput) => trend(evidence, 'h'),
    ];
    const numbersIn = (value: unknown): number[] => {
      if (typeof value === 'number') return [value];
      return value !== null && typeof value === 'object'
        ? Object.values(value).flatMap(numbersIn)
        : [];
    };
    const property = fc.property(
      anyTable(30),
      anyFormula,
      fc.boolean(),
      (table, formula, heavy) => {
        const evidence = someEvidence(table, formula, heavy ? { weights: 'w' } : {});
        if (evidence === undefined) return;
        for (const ask of questions) {
          const answer = ask(evidence);
          if ('problem' in answer) continue;
          for (const value of numbersIn(answer))
            expect(Number.isFinite(value), ask.name).toBe(true);
        }
      },
    );
    fc.assert(property, { numRuns: cases(60) });
  });

  it('the shares of a coefficient’s variance add up to 1', () => {
    const property = fc.property(anyTable(40), (table) => {
      const evidence = someEvidence(table, 'c ~ p + g + log(p)', {});
      if (evidence === undefined) return;
      const found = collinearity(evidence);
      if ('problem' in found) return;
      for (const name of evidence.fit.models[0].terms) {
        const sum = found.indices.reduce((total, { shares }) => total + shares[name], 0);
        expect(Math.abs(sum - 1)).toBeLessThan(1e-12);
      }
    });
    fc.assert(property, { numRuns: cases(20, 1 / 2) });
  });
});
