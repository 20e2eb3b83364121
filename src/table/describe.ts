import { defined } from '../defined.ts';
import { columnInKernel, firstOf } from '../numeric/in-kernel.ts';
import { laneSum } from '../numeric/lane-sum.ts';
import type { Column } from '../study/codebook.ts';
import type { Block } from './columns.ts';

/** A description of a column, for the person who approves a contribution; never leaves the site. */
export type ColumnDescription = NumberDescription | CategoryDescription | IdDescription;

export interface NumberDescription {
  readonly kind: 'number';
  /** Cells with a number, and cells without. */
  readonly present: number;
  readonly missing: number;
  readonly mean: number;
  /** Σ (x − mean)². */
  readonly squares: number;
  /** ∞ and −∞ if no cell has a number. */
  readonly min: number;
  readonly max: number;
  /** Only if asked for, and if the range of the column is known. */
  readonly histogram?: Histogram;
}

/** Numbers counted in equal bins over a range; the last bin holds its upper end. */
export interface Histogram {
  readonly range: readonly [number, number];
  readonly counts: readonly number[];
}

export interface CategoryDescription {
  readonly kind: 'category';
  readonly present: number;
  readonly missing: number;
  /** Cells by level, in the codebook's order. */
  readonly counts: readonly number[];
}

export interface IdDescription {
  readonly kind: 'id';
  readonly present: number;
  readonly missing: number;
}

/** All rows that were read, those with missing cells too. */
export interface ColumnSummary {
  readonly rows: number;
  readonly columns: Readonly<Record<string, ColumnDescription>>;
}

/** Describes blocks as they are read. */
export interface Describer {
  add(block: Block): void;
  finish(): ColumnSummary;
}

export interface DescriberOptions {
  /** Count the values of number columns in bins over their ranges. */
  readonly histograms?: boolean;
}

/** Describes blocks with these columns, in this order. */
export function describer(
  columns: readonly { readonly name: string; readonly column: Column }[],
  { histograms = false }: DescriberOptions = {},
): Describer {
  const descriptions = columns.map(({ column }) => emptyDescription(column));
  const counters = columns.map(({ column }) => (histograms ? binCounter(column) : undefined));
  let rows = 0;
  return {
    add(block) {
      rows += block.rows;
      block.columns.forEach((values, k) => {
        const before = descriptions[k];
        const cells = firstOf(values, block.rows);
        descriptions[k] = joinDescribed(before, describeCells(before, cells));
        counters[k]?.add(cells);
      });
    },
    finish: () => ({
      rows,
      columns: Object.fromEntries(
        columns.map(({ name }, k) => {
          const histogram = counters[k]?.finish();
          return [name, { ...descriptions[k], ...defined({ histogram }) }];
        }),
      ),
    }),
  };
}

const BINS = 64;

/** Counts the values of a number column whose range is known. */
function binCounter(
  column: Column,
): { add(cells: Float64Array): void; finish(): Histogram } | undefined {
  if (column.type !== 'number' || column.range === undefined) return undefined;
  const [low, high] = column.range;
  const counts = new Array<number>(BINS).fill(0);
  return {
    add(cells) {
      for (const value of cells) {
        if (Number.isNaN(value)) continue;
        const bin = Math.floor(((value - low) / (high - low)) * BINS);
        counts[Math.min(BINS - 1, Math.max(0, bin)) || 0]++;
      }
    },
    finish: () => ({ range: [low, high], counts: [...counts] }),
  };
}

/** The description of a table from those of its parts. */
export function joinDescriptions(parts: readonly ColumnSummary[]): ColumnSummary {
  const [first, ...rest] = parts;
  return rest.reduce(
    (a, b) => ({
      rows: a.rows + b.rows,
      columns: Object.fromEntries(
        Object.entries(a.columns).map(([name, column]) => [
          name,
          joinDescribed(column, b.columns[name]),
        ]),
      ),
    }),
    first,
  );
}

/** The sample standard deviation; NaN below two cells. */
export function standardDeviation({ present, squares }: NumberDescription): number {
  return present < 2 ? Number.NaN : Math.sqrt(squares / (present - 1));
}

const noNumbers: NumberDescription = {
  kind: 'number',
  present: 0,
  missing: 0,
  mean: 0,
  squares: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
};

function emptyDescription(column: Column): ColumnDescription {
  if (column.type === 'number') return noNumbers;
  if (column.type === 'id') return { kind: 'id', present: 0, missing: 0 };
  return { kind: 'category', present: 0, missing: 0, counts: column.levels.map(() => 0) };
}

function describeCells(like: ColumnDescription, cells: Float64Array): ColumnDescription {
  if (like.kind === 'number') return describeNumbers(cells);
  if (like.kind === 'category') return describeLevels(cells, like.counts.length);
  let missing = 0;
  for (const id of cells) if (Number.isNaN(id)) missing++;
  return { kind: 'id', present: cells.length - missing, missing };
}

/** Describes the cells of a number column. */
export function describeNumbers(cells: Float64Array): NumberDescription {
  const rows = cells.length;
  return columnInKernel(cells, rows, 5 * 8, (kernels, from, out) => {
    kernels.call.describeNumbers(from, rows, out);
    const found = kernels.numbers();
    const at = out / 8;
    const present = found[at];
    return {
      kind: 'number',
      present,
      missing: rows - present,
      mean: found[at + 1],
      squares: found[at + 2],
      min: found[at + 3],
      max: found[at + 4],
    };
  });
}

/** The same in plain numbers: the specification of the kernel. */
export function describeNumbersTwin(cells: Float64Array): NumberDescription {
  const numbers = cells.filter((cell) => !Number.isNaN(cell));
  const present = numbers.length;
  const mean = present === 0 ? 0 : laneSum(cells.map((cell) => cell || 0)) / present;
  const squares = laneSum(cells.map((cell) => (cell - mean) * (cell - mean) || 0));
  const min = Math.min(...numbers);
  const max = Math.max(...numbers);
  return { kind: 'number', present, missing: cells.length - present, mean, squares, min, max };
}

function describeLevels(cells: Float64Array, levels: number): CategoryDescription {
  const counts = new Array<number>(levels).fill(0);
  let present = 0;
  for (const level of cells) {
    if (Number.isNaN(level)) continue;
    present++;
    counts[level]++;
  }
  return { kind: 'category', present, missing: cells.length - present, counts };
}

/** Descriptions of two sets of cells as one. */
export function joinDescribed(a: ColumnDescription, b: ColumnDescription): ColumnDescription {
  const present = a.present + b.present;
  const missing = a.missing + b.missing;
  if (a.kind === 'category' && b.kind === 'category') {
    const counts = a.counts.map((count, level) => count + b.counts[level]);
    return { kind: 'category', present, missing, counts };
  }
  if (a.kind === 'id' && b.kind === 'id') return { kind: 'id', present, missing };
  if (a.kind !== 'number' || b.kind !== 'number') {
    throw new RangeError('descriptions of different columns');
  }
  const histogram = joinHistograms(a.histogram, b.histogram);
  if (present === 0) return { ...a, missing, ...histogram };
  // Chan, Golub & LeVeque 1979, eq. 2.1.
  const step = b.mean - a.mean;
  return {
    kind: 'number',
    present,
    missing,
    mean: a.mean + (step * b.present) / present,
    squares: a.squares + b.squares + (step ** 2 * a.present * b.present) / present,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    ...histogram,
  };
}

function joinHistograms(
  a: Histogram | undefined,
  b: Histogram | undefined,
): { readonly histogram?: Histogram } {
  if (a === undefined || b === undefined) return {};
  const counts = a.counts.map((count, bin) => count + b.counts[bin]);
  return { histogram: { range: a.range, counts } };
}
