import type { WordSource } from '../random/words.ts';
import type { PatternProgress } from './binary-candidates.ts';
import { binaryRows } from './binary-rows.ts';
import { fitByChance, matchingRows, timesOf } from './chance-fit.ts';
import { type Differencing, differencingAttack } from './differencing-attack.ts';
import { type Membership, membershipAttack } from './membership-attack.ts';
import {
  type CellColumns,
  cellColumns,
  modelColumns,
  summaryOf,
  type Target,
} from './site-rows.ts';
import { ENOUGH_ROWS, type SmallCells, smallCells } from './small-cells.ts';
import { bitCounts, type TwoValued, twoValuedColumns } from './two-valued.ts';

/** What became of the rows' two-valued columns. */
export interface Recovery {
  /** Columns of two values, indicators of categories among them. */
  readonly bits: number;
  /** Rows found by the statistic alone, and those of them that are in the file. */
  readonly found: number;
  readonly inFile: number;
  /** Rows found to which fewer than four others are alike: these are people, and not a table. */
  readonly standingOut: number;
  /** Whether no other rows give the same statistic. */
  readonly unique: boolean;
  /** Where they are not the only ones: rows that knowing each column by itself would get right. */
  readonly byChance?: number;
  readonly seconds: number;
  /** Why none could be found. */
  readonly hidden?: string;
}

/** What a plain statistic of these rows gives away to whoever holds it. */
export interface Exposure {
  readonly rows: number;
  /** Columns of the statistic, the constant included. */
  readonly columns: number;
  readonly recovery: Recovery;
  readonly smallCells: SmallCells;
  /** Columns of numbers that a group of one row gives away with it. */
  readonly numbers: number;
  /** Undefined where the file's cells make no other row to compare with. */
  readonly membership?: Membership;
  readonly differencing: Differencing;
}

/** Reduces the rows as a site would, attacks the result, and compares what was found with the rows. */
export function exposureOf(target: Target, words: WordSource, progress: PatternProgress): Exposure {
  const { block, layout, codebook } = target;
  const { statistic } = summaryOf(target, block);
  const cells = cellColumns(target);
  const bits = twoValuedColumns(statistic, cells, codebook);
  const counts = bitCounts(statistic, bits);
  const membership = membershipAttack(target, words);
  const differencing = differencingAttack(target, words);
  const sorting = new Set(bits.map(({ column }) => column));
  return {
    rows: block.rows,
    columns: layout.columns.length,
    recovery:
      block.rows === 1
        ? theOnlyRow(bits.length, differencing)
        : recoveryOf({ target, cells, bits, words }, counts, progress),
    smallCells: smallCells(counts, bits, cells),
    numbers: cells.filter(({ columns }) => columns.some((column) => !sorting.has(column))).length,
    ...(membership && { membership }),
    differencing,
  };
}

/** The statistic of one row is its difference from nothing. */
function theOnlyRow(bits: number, { exact, cellsPerRow }: Differencing): Recovery {
  const inFile = exact === cellsPerRow ? 1 : 0;
  return { bits, found: 1, inFile, standingOut: 1, unique: true, seconds: 0 };
}

interface Judged {
  readonly target: Target;
  readonly cells: readonly CellColumns[];
  readonly bits: readonly TwoValued[];
  readonly words: WordSource;
}

function recoveryOf(judged: Judged, counts: Float64Array, progress: PatternProgress): Recovery {
  const { bits, words } = judged;
  const started = performance.now();
  const result = binaryRows(counts, progress);
  const seconds = (performance.now() - started) / 1000;
  const none = { bits: bits.length, found: 0, inFile: 0, standingOut: 0, unique: false, seconds };
  if ('hidden' in result) return { ...none, hidden: result.hidden };
  const { rows, unique } = result;
  const columns = bitTexts(judged);
  const own = Array.from(columns[0], (_, r) => columns.map((texts) => texts[r]).join(''));
  return {
    ...none,
    found: rows.length,
    inFile: matchingRows(
      rows.map((row) => row.subarray(1).join('')),
      own,
    ),
    standingOut: [...timesOf(rows.map(String)).values()]
      .filter((times) => times < ENOUGH_ROWS)
      .reduce((sum, times) => sum + times, 0),
    unique,
    ...(unique ? {} : { byChance: fitByChance(columns, words) }),
  };
}

/** The bits of every cell that has some, a text a row: those of a category belong together. */
function bitTexts({ target, cells, bits }: Judged): string[][] {
  const columns = modelColumns(target, target.block);
  return cells.flatMap((cell) => {
    const own = bits.filter(({ column }) => cell.columns.includes(column));
    if (own.length === 0) return [];
    const textOf = (r: number) =>
      own.map(({ column, high }) => (columns[column][r] === high ? 1 : 0)).join('');
    return [Array.from({ length: target.block.rows }, (_, r) => textOf(r))];
  });
}
