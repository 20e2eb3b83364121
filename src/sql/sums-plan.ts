import { uncheckedIn } from '../features/bound-variable.ts';
import type { Agreement } from '../federate.ts';
import { type SqlCells, sqlCells, type TableTraits } from './cells.ts';
import { checkFactor, PRIME, powerResidue } from './check-sums.ts';
import type { SqlDialect } from './dialect.ts';
import { sqlArithmetic } from './double-double-sql.ts';
import type { ExpressionContext } from './expression-sql.ts';
import { type GridColumn, gridSlices, type Slice } from './grid-slices.ts';
import { around, joinSql, type Layers, layers, type Named, type Sql, sql } from './layers.ts';
import { modelColumn } from './model-columns.ts';
import { type Pushable, pushable } from './pushable.ts';

/** One column of an answer: its name and what the engine computes. */
export interface SqlOutput {
  readonly name: string;
  /** The aggregate. */
  readonly value: Sql;
}

/** Everything that the queries of a study ask. */
export interface SumsPlan {
  readonly known: Pushable;
  readonly layers: Layers;
  readonly cells: SqlCells;
  readonly context: ExpressionContext;
  /** In the answer of every query, so that a table that has changed between two is noticed. */
  readonly common: readonly SqlOutput[];
  /** Counts and extremes, check sums, and the sums of products. */
  readonly outputs: readonly SqlOutput[];
  /** The largest size of a summand. */
  readonly bound: bigint;
}

const LIMIT = 1n << 63n;

/** Plans the sums of a study: z = (1, x…, y…) on the grid, and Σ z zᵀ in int64 products. */
export function sumsPlan(agreed: Agreement, dialect: SqlDialect, traits: TableTraits): SumsPlan {
  const known = pushable(agreed);
  const named = layers();
  const cells = sqlCells(agreed, dialect, named, traits);
  const arithmetic = sqlArithmetic(named, dialect);
  const { design, recipe, layout, study } = known;
  const context = { codebook: study.codebook, cells, dialect, arithmetic };
  const onGrid = gridSlices(named, dialect, cells.used, layout.grid);
  const skip = design.intercept ? 1 : 0;
  const columns: GridColumn[] = [
    onGrid.indicator(sql`1 = 1`),
    ...recipe.columns.slice(skip).map((column, k) => {
      const made = modelColumn(column, recipe, context);
      return 'condition' in made
        ? onGrid.indicator(made.condition)
        : onGrid.number(made.value, layout.references[k + 1]!);
    }),
  ];
  const sum = (piece: Sql) => around(dialect.sum, piece);
  const modulo = (piece: Sql) => around((text) => dialect.modulo(text, PRIME), piece);
  const whole = (piece: Sql): Named => named.name(around(dialect.whole, piece));
  const residues = columns.map(({ whole: one, slices }) =>
    whole(
      modulo(
        joinSql(
          (one ? [one] : slices).map(({ value, shift }) => sql`${value} * ${powerResidue(shift)}`),
          ' + ',
        ),
      ),
    ),
  );
  const ofRow = whole(
    modulo(
      joinSql(
        residues.map((value, k) => sql`${value} * ${checkFactor(k)}`),
        ' + ',
      ),
    ),
  );
  const sums = columns.flatMap((a, i) =>
    columns.slice(i).flatMap((b, k) => productsOf(a, b, i, i + k)),
  );
  return {
    known,
    layers: named,
    cells,
    context,
    common: [
      { name: 'row_count', value: sql`count(*)` },
      { name: 'used', value: sum(cells.used) },
      { name: 'row_check', value: sum(ofRow) },
    ],
    outputs: [
      ...cells.read.flatMap(({ missing, misfit }, k) => [
        { name: `missing_${k}`, value: sum(missing) },
        { name: `misfit_${k}`, value: sum(misfit) },
      ]),
      ...factorMisfits(known, context).map((value, k) => ({
        name: `no_level_${k}`,
        value: sum(value),
      })),
      ...columns.flatMap((column, k) => {
        const [top] = column.whole ? [column.whole] : column.slices;
        if (top!.bound === 1n) return [];
        return [
          { name: `least_${k}`, value: sql`min(${top!.value})` },
          { name: `most_${k}`, value: sql`max(${top!.value})` },
        ];
      }),
      ...residues.map((value, k) => ({
        name: `check_${k}`,
        value: sum(modulo(sql`${value} * ${ofRow}`)),
      })),
      ...sums.map(({ name, value }) => ({ name, value: sum(value) })),
    ],
    bound: largestOf(sums.map(({ bound }) => bound)),
  };
}

function largestOf(bounds: readonly bigint[]): bigint {
  return [...bounds].sort((a, b) => (a < b ? 1 : -1))[0] ?? 1n;
}

interface Products {
  readonly name: string;
  readonly value: Sql;
  readonly bound: bigint;
}

/** Σ of the products of columns i and j: one product in int64 if its bound allows it, else those of the slices, by their shift. */
function productsOf(a: GridColumn, b: GridColumn, i: number, j: number): Products[] {
  const fits = a.whole && b.whole && a.whole.bound * b.whole.bound < LIMIT;
  const [left, right] = fits ? [[a.whole!], [b.whole!]] : [a.slices, b.slices];
  const byShift = new Map<number, { readonly a: Slice; readonly b: Slice }[]>();
  for (const x of left) {
    for (const y of right) {
      const shift = x.shift + y.shift;
      byShift.set(shift, [...(byShift.get(shift) ?? []), { a: x, b: y }]);
    }
  }
  return Array.from(byShift, ([shift, pairs]) => {
    const bound = pairs.reduce((most, pair) => most + pair.a.bound * pair.b.bound, 0n);
    if (bound >= LIMIT) throw new RangeError(`a product of columns ${i} and ${j} can leave int64`);
    const products = pairs.map((pair) =>
      i === 0 ? sql`${pair.b.value}` : sql`${pair.a.value} * ${pair.b.value}`,
    );
    return { name: `s_${i}_${j}_${shift}`, value: joinSql(products, ' + '), bound };
  });
}

/** Number columns under factor(), each once: in used rows their values must be levels. */
export function factorColumns({
  recipe,
}: Pushable): readonly { name: string; codes: readonly number[] }[] {
  const found = new Map<string, readonly number[]>();
  for (const { bound } of recipe.variables) {
    for (const { source, codes } of uncheckedIn(bound)) found.set(source, codes);
  }
  return Array.from(found, ([name, codes]) => ({ name, codes }));
}

function factorMisfits(known: Pushable, { cells, dialect }: ExpressionContext): Sql[] {
  return factorColumns(known).map(({ name, codes }) => {
    const levels = codes.map((code) => dialect.double(code)).join(', ');
    return sql`case when ${cells.used} = 1 and not (${cells.valueOf(name)} in (${levels})) then 1 else 0 end`;
  });
}

/** Names of the columns that an answer must have for the sums; the same for every engine. */
export function outputNames({ common, outputs }: SumsPlan): string[] {
  return [...common, ...outputs].map(({ name }) => name);
}
