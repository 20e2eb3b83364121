import fc from 'fast-check';
import { resultOf } from '../src/conclude.ts';
import type { Report } from '../src/model/report.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import type { LinearSummary } from './linear.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  published,
  reduction,
} from './linear.ts';

/** A pooled table in memory: columns as a block carries them, NaN where a cell is missing. */
export interface Table {
  readonly rows: number;
  readonly codebook: Codebook;
  readonly cells: Readonly<Record<string, Float64Array>>;
}

const kernels = createKernels();

/** What a site makes of the given rows of a table, read in blocks of at most `blockRows`. */
export function summaryOf(
  agreed: Agreement,
  table: Table,
  rows: readonly number[],
  blockRows = 256,
): LinearSummary {
  return kernels.scoped(() => {
    const site = reduction(agreed, { file: 'site.csv', missing: 'drop', kernels, fewRows: true });
    for (let from = 0; from < rows.length; from += blockRows) {
      const part = rows.slice(from, from + blockRows);
      const columns = agreed.columns.map(({ name }) =>
        Float64Array.from(part, (r) => table.cells[name][r]),
      );
      site.add({ rows: part.length, columns }, (r) => part[r] + 1);
    }
    return site.finish();
  });
}

/** The study of a formula over a table. */
export function studyOf(
  { codebook }: Table,
  formula: string,
  choices: Partial<
    Pick<TableStudy, 'arithmetic' | 'grid' | 'weights' | 'fusion' | 'features'>
  > = {},
): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    ...choices,
  };
}

/** A study run over a partition of a table's rows: the total, and the report or why there is none. */
export function federated(
  study: Study,
  table: Table,
  sites: readonly (readonly number[])[],
): { readonly total: LinearStatistic; readonly report: Report | string; readonly dropped: number } {
  const agreed = agreement(study);
  const summaries = sites.map((rows, k) => summaryOf(agreed, table, rows, 1 + (k % 3) * 50));
  const sent = collect(
    agreed,
    summaries.map((summary, k) => contribution(agreed, `site-${k}`, summary)),
  );
  const found = resultOf(agreed, published(agreed, sent), []);
  const dropped = summaries.reduce((sum, summary) => sum + summary.dropped, 0);
  return {
    total: sent.total,
    dropped,
    report: 'problem' in found ? found.problem : found.report,
  };
}

export function everyRow({ rows }: Table): number[] {
  return Array.from({ length: rows }, (_, r) => r);
}

/** A table of number columns with the ranges they have. */
export function tableOf(
  columns: Readonly<Record<string, readonly number[]>>,
  levels: Readonly<Record<string, readonly string[]>> = {},
): Table {
  const names = Object.keys(columns);
  const codebook = Object.fromEntries(
    names.map((name) => {
      if (levels[name] !== undefined) return [name, { type: 'category', levels: levels[name] }];
      const present = columns[name].filter((value) => !Number.isNaN(value));
      const range = present.length === 0 ? [0, 1] : [Math.min(...present), Math.max(...present)];
      return [name, { type: 'number', range }];
    }),
  ) as Codebook;
  return {
    rows: columns[names[0]].length,
    codebook,
    cells: Object.fromEntries(names.map((name) => [name, Float64Array.from(columns[name])])),
  };
}

const unit = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((k) => k / 1_000_000);
const kinds: readonly fc.Arbitrary<number>[] = [
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: 0, max: 9999 }).map((k) => k / 100),
  unit.map((u) => u * 1e-12),
  unit.map((u) => 3e15 + u * 1e12),
  fc.integer({ min: 1_500_000_000, max: 1_700_000_000 }),
  fc.constant(0.1),
  fc.constantFrom(0, 1),
];

function numbers(rows: number, missing: boolean): fc.Arbitrary<number[]> {
  return fc.constantFrom(...kinds).chain((kind) => {
    const cell = missing
      ? fc.oneof({ weight: 30, arbitrary: kind }, { weight: 1, arbitrary: fc.constant(Number.NaN) })
      : kind;
    return fc.array(cell, { minLength: rows, maxLength: rows });
  });
}

function codes(rows: number, levels: number): fc.Arbitrary<number[]> {
  const cell = fc.oneof(
    { weight: 40, arbitrary: fc.nat(levels - 1) },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );
  return fc.array(cell, { minLength: rows, maxLength: rows });
}

/**
 * Tables with number columns y, a, b, c of several kinds and scales, a positive p, categories g
 * and h, weights w with zeros among them, and missing cells.
 */
export function anyTable(mostRows: number): fc.Arbitrary<Table> {
  const positive = fc.integer({ min: 1, max: 400 }).map((k) => k / 8);
  const weight = fc.oneof(
    fc.constantFrom(0, 1, 2),
    fc.integer({ min: 1, max: 500 }).map((k) => k / 100),
  );
  return fc.integer({ min: 1, max: mostRows }).chain((rows) =>
    fc
      .record({
        y: numbers(rows, false),
        a: numbers(rows, true),
        b: numbers(rows, true),
        c: numbers(rows, false),
        p: fc.array(positive, { minLength: rows, maxLength: rows }),
        w: fc.array(weight, { minLength: rows, maxLength: rows }).map((w) => [1, ...w.slice(1)]),
        g: codes(rows, 2),
        h: codes(rows, 4),
      })
      .map((columns) => tableOf(columns, { g: ['no', 'yes'], h: ['i', 'ii', 'iii', 'iv'] })),
  );
}

/** Formulas over the columns of `anyTable`: with and without intercept, interactions, arithmetic, two responses. */
export const anyFormula: fc.Arbitrary<string> = fc.constantFrom(
  'y ~ 1',
  'y ~ a',
  'y ~ a - 1',
  'y ~ a + b + c + g + h',
  'y ~ a*g + h - 1',
  'y ~ a:b + c:h',
  'y ~ g*h + I(p^2)',
  'y ~ log(p) + sqrt(p) + a + a:g:h',
  'log(p) ~ a + b + I(a*b)',
  'cbind(y, p) ~ a + g',
);
