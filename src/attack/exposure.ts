import { defined } from '../defined.ts';
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

/** How well the rows' two-valued columns were recovered. */
export interface Recovery {
  /** Columns of two values, indicators of categories among them. */
  readonly bits: number;
  /** Rows found from the statistic alone, and how many of them are in the file. */
  readonly found: number;
  readonly inFile: number;
  /** Rows found that fewer than four others equal: these can identify people. */
  readonly standingOut: number;
  /** Whether no other rows give the same statistic. */
  readonly unique: boolean;
  /** If not unique: rows that a guess from each column alone would get right. */
  readonly byChance?: number;
  readonly seconds: number;
  /** Why no rows could be found. */
  readonly hidden?: string;
}

/** What a plain statistic of these rows reveals to anyone who has it. */
export interface Exposure {
  readonly rows: number;
  /** Columns of the statistic, the constant included. */
  readonly columns: number;
  readonly recovery: Recovery;
  readonly smallCells: SmallCells;
  /** Number columns whose value a group of one row reveals. */
  readonly numbers: number;
  /** Absent if the file's cells give no other row to compare with. */
  readonly membership?: Membership;
  readonly differencing: Differencing;
}

/** Reduces the rows as a site would, attacks the result, and compares what was found with the rows. */
export function exposureOf(
  target: Target,
  random: WordSource,
  progress: PatternProgress,
): Exposure {
  const { block, layout, codebook } = target;
  const { statistic } = summaryOf(target, block);
  const cells = cellColumns(target);
  const bits = twoValuedColumns(statistic, cells, codebook);
  const counts = bitCounts(statistic, bits);
  const membership = membershipAttack(target, random);
  const differencing = differencingAttack(target, random);
  const sorting = new Set(bits.map(({ column }) => column));
  return {
    rows: block.rows,
    columns: layout.columns.length,
    recovery:
      block.rows === 1
        ? theOnlyRow(bits.length, differencing)
        : recoveryOf({ target, cells, bits, random }, counts, progress),
    smallCells: smallCells(counts, bits, cells),
    numbers: cells.filter(({ columns }) => columns.some((column) => !sorting.has(column))).length,
    ...defined({ membership }),
    differencing,
  };
}

/** A statistic of one row is the row itself. */
function theOnlyRow(bits: number, { exact, cellsPerRow }: Differencing): Recovery {
  const inFile = exact === cellsPerRow ? 1 : 0;
  return { bits, found: 1, inFile, standingOut: 1, unique: true, seconds: 0 };
}

interface Judged {
  readonly target: Target;
  readonly cells: readonly CellColumns[];
  readonly bits: readonly TwoValued[];
  readonly random: WordSource;
}

function recoveryOf(judged: Judged, counts: Float64Array, progress: PatternProgress): Recovery {
  const { bits, random } = judged;
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
    ...defined({ byChance: unique ? undefined : fitByChance(columns, random) }),
  };
}

/** The bits of each two-valued or category cell, one text per row. */
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
