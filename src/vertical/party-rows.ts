import { DataError } from '../data-error.ts';
import { rowsAt } from '../statistic/complete-rows.ts';
import type { Block } from '../table/columns.ts';
import type { PartyModel } from './vertical-study.ts';

/** A party's rows that can be linked: no cell of its columns is missing. Rows stay at the party. */
export interface PartyRows {
  /** The columns of the party's design, in its order. */
  readonly block: Block;
  /** The texts of the key columns, by name. */
  readonly keys: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** The row of the file (from 1) of each row. */
  readonly origin: Int32Array;
  /** Rows left out because a cell is missing. */
  readonly dropped: number;
  /** Missing cells by column; only the party sees them. */
  readonly missing: Readonly<Record<string, number>>;
  /** Name of the file, for messages. */
  readonly file: string;
}

/** Integers on the study's grid: the values of a column in units of 2^−grid of its scale, or 0 and 1 for an indicator. */
export interface GridColumns {
  readonly rows: number;
  /** By the place of the column in the study's layout. */
  readonly values: ReadonlyMap<number, Float64Array>;
}

/** 1.5·2⁵²: adding and subtracting it rounds a smaller number to a whole one, ties to even. */
const ROUNDER = 6755399441055744;

/** The party's own columns as integers, for some of its rows in order: the integers that `exactGram` sums (`gridValue`). */
export function gridColumns(
  part: PartyModel,
  rows: PartyRows,
  order: Uint32Array,
  shiftOf: (place: number) => number,
): GridColumns {
  const { design, layout, places } = part;
  const { block } = rowsAt(rows.block, Int32Array.from(order));
  const skip = design.intercept ? 1 : 0;
  const hi = design.columns.map(() => new Float64Array(block.rows));
  const origin = { file: rows.file, rowOf: (r: number) => rows.origin[order[r]] };
  design.evaluate(
    block,
    origin,
    hi,
    hi.map(() => undefined),
  );
  const values = new Map<number, Float64Array>();
  for (let k = 1; k < layout.columns.length; k++) {
    const { center, scale } = layout.references[k];
    const factor = 2 ** layout.grid / scale;
    const unit = 2 ** -shiftOf(places[k]);
    const column = hi[k - 1 + skip];
    const integers = new Float64Array(block.rows);
    for (let r = 0; r < block.rows; r++) {
      const value = (column[r] - center) * factor;
      if (!(Math.abs(value) <= 2 ** layout.grid)) {
        throw new DataError(
          'the value lies outside the range of its column',
          { file: rows.file, row: origin.rowOf(r), column: layout.columns[k] },
          'check the unit',
        );
      }
      integers[r] = (value + ROUNDER - ROUNDER) * unit;
    }
    values.set(places[k], integers);
  }
  return { rows: block.rows, values };
}
