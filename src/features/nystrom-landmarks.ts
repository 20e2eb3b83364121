import { DataError } from '../data-error.ts';
import { normals } from '../random/normals.ts';
import type { Codebook, Column } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { parseFormula } from '../study/formula.ts';
import { columnWords } from './column-normals.ts';
import type { Design, DesignColumn } from './design.ts';
import { centredUnit, USUAL_UNITS } from './public-unit.ts';
import { anyCell, readCell } from './read-cell.ts';
import { columnInterval } from './reference.ts';
import { rightSideDesign } from './right-side-design.ts';

/** A row by the names of its columns, in the user's units. */
export type LandmarkRow = Readonly<Record<string, number | string>>;

/** Landmarks of a study: rows, or how many to draw and their seed. */
export interface Landmarks {
  readonly landmarks: number | readonly LandmarkRow[];
  readonly seed?: number;
}

/** Number of landmarks. */
export function landmarkCount({ landmarks }: Landmarks): number {
  return typeof landmarks === 'number' ? landmarks : landmarks.length;
}

/**
 * The landmarks as rows of the mapped columns in public units. Drawn ones are what the codebook leads one to expect: each number
 * is normal with the column's public centre and SD, moved into its range; each level is as likely as another.
 */
export function landmarkRows(
  design: Design,
  columns: readonly DesignColumn[],
  terms: Landmarks,
): Float64Array[] {
  const { landmarks } = terms;
  if (typeof landmarks !== 'number') {
    const rows = rowsOf(design, columns, terms, landmarks.length);
    refuseEqual(rows);
    return rows;
  }
  // Rows of categories are often equal: each counts once, and more are drawn.
  let different: Float64Array[] = [];
  for (let drawn = landmarks; drawn <= MOST_DRAWN * landmarks; drawn *= 2) {
    const rows = rowsOf(design, columns, terms, drawn);
    different = [...new Map(rows.map((row) => [row.join(), row])).values()];
    if (different.length >= landmarks) return different.slice(0, landmarks);
  }
  throw new DataError(
    `the columns of the formula have only about ${different.length} different rows`,
    {},
    `choose at most ${different.length} landmarks`,
  );
}

/** Most rows that are drawn for each landmark. */
const MOST_DRAWN = 64;

function rowsOf(
  design: Design,
  columns: readonly DesignColumn[],
  terms: Landmarks,
  count: number,
): Float64Array[] {
  const own = rightSideDesign(parseFormula(design.formula), design.codebook);
  const cells = own.variables.map((name) => cellsOf(name, design.codebook, terms, count));
  const values = own.columns.map(() => new Float64Array(count));
  const noLow = own.columns.map(() => undefined);
  own.evaluate(
    { rows: count, columns: cells },
    { file: 'the landmarks', rowOf: (r) => r + 1 },
    values,
    noLow,
  );
  const places = new Map(own.columns.map(({ name }, k) => [name, k]));
  return Array.from({ length: count }, (_, r) =>
    Float64Array.from(columns, ({ name, publicUnit: { center, scale } }) => {
      return (values[places.get(name)!][r] - center) / scale;
    }),
  );
}

function refuseEqual(rows: readonly Float64Array[]): void {
  const places = new Map<string, number>();
  rows.forEach((row, k) => {
    const before = places.get(row.join());
    if (before === undefined) {
      places.set(row.join(), k);
      return;
    }
    throw new DataError(
      `landmarks ${before + 1} and ${k + 1} are equal in every column of the formula`,
      {},
      'leave out one of them',
    );
  });
}

function cellsOf(
  name: string,
  codebook: Codebook,
  { landmarks, seed = 1 }: Landmarks,
  count: number,
): Float64Array {
  const column = codebook[name]!;
  if (name === SITE_COLUMN) return new Float64Array(count).fill(anyCell(column));
  if (typeof landmarks === 'number') return drawnCells(name, column, seed, count);
  return Float64Array.from(landmarks, (row, k) => {
    const cell = readCell(name, column, row[name]);
    if (typeof cell !== 'number') {
      throw new DataError(`landmark ${k + 1}: ${cell.problem}`, { column: name }, cell.remedy);
    }
    if (column.type === 'number') refuseOutside(name, column, cell, k);
    return cell;
  });
}

function refuseOutside(
  name: string,
  column: Parameters<typeof columnInterval>[0],
  cell: number,
  k: number,
): void {
  const interval = columnInterval(column);
  if (interval === undefined || (interval.low <= cell && cell <= interval.high)) return;
  throw new DataError(
    `landmark ${k + 1} has ${name} outside its range in the codebook`,
    { column: name },
    'correct the landmark, or the range',
  );
}

function drawnCells(name: string, column: Column, seed: number, count: number): Float64Array {
  const words = columnWords('nystrom', seed, name);
  const cells = new Float64Array(count);
  const anyOf = (choices: number) => Math.floor((words() / 2 ** 32) * choices);
  if (column.type !== 'number') {
    const { levels = [] } = column;
    return cells.map(() => anyOf(levels.length));
  }
  const { levels = [], center, sd } = column;
  if (levels.length > 0) return cells.map(() => Number(levels[anyOf(levels.length)]));
  const interval = columnInterval(column) ?? { low: 0, high: 0 };
  const guess = {
    ...(center === undefined ? {} : { center }),
    ...(sd === undefined ? {} : { sd }),
  };
  const unit = centredUnit(interval, guess, USUAL_UNITS);
  const next = normals(words);
  return cells.map(() => {
    const value = unit.center + unit.scale * next();
    return Math.min(interval.high, Math.max(interval.low, value));
  });
}
