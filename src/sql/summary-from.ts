import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Agreement } from '../federate.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { type LinearLayout, packedIndex, triangleEntries } from '../statistic/linear-layout.ts';
import { setRingEntry } from '../statistic/ring.ts';
import { grouped } from '../text/number-text.ts';
import { type AnswerCells, answerCells } from './answer-cells.ts';
import type { TableTraits } from './cells.ts';
import { checkFactor, residue } from './check-sums.ts';
import { postgres } from './postgres-dialect.ts';
import type { SqlAnswer } from './sql-answer.ts';
import { factorColumns, outputNames, type SumsPlan, sumsPlan } from './sums-plan.ts';

/** How an answer is read. */
export interface AnswerChoices extends TableTraits {
  /** Leave out rows with a missing cell, or refuse the table; they are left out unless given. */
  readonly missing?: 'drop' | 'refuse';
  /** The name of the table or of the file with the answers, for messages. */
  readonly file?: string;
}

/**
 * The summary of a site's rows from the answers to `sumsQuery`, in any order: the same as reading the rows gives. Refuses answers
 * of another study, of a table that changed in between, with cells that the codebook does not allow, and sums that an engine
 * has spoiled.
 */
export function summaryFrom(
  agreed: Agreement,
  answers: readonly SqlAnswer[],
  { missing = 'drop', file = 'the answer', ...traits }: AnswerChoices = {},
): Summary<LinearLayout> {
  // The names of the outputs are the same for every engine.
  const plan = sumsPlan(agreed, postgres, traits);
  const cells = answerCells(agreed, answers, outputNames(plan), plan.common, file);
  const { layout } = plan.known;
  refuseMisfits(plan, cells, file);
  const lost = missingCounts(plan, cells);
  const [first] = Object.entries(lost);
  if (missing === 'refuse' && first !== undefined) {
    throw new DataError(
      `${grouped(first[1])} cells are missing`,
      { file, column: first[0] },
      'complete the table, or let rows with missing cells be dropped',
      { name: 'missing', value: 'drop' },
    );
  }
  const used = cells.count('used');
  const isWeighted = layout.weightScale !== null;
  if (isWeighted) refuseUnsure(plan, cells, file);
  if (used === 0) {
    throw new DataError(
      'no row can be used',
      { file },
      'complete the rows, or check how missing cells are marked',
    );
  }
  refuseOutside(plan, cells, file);
  const width = layout.columns.length;
  const sums = sumsOf(plan, cells, width);
  refuseSpoiled(sums, cells, width, file);
  const words = wordsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  sums.forEach((sum, entry) => {
    setRingEntry(values, words, entry, sum);
  });
  if (isWeighted) {
    const at = triangleEntries(layout);
    const bits = BigInt(2 * layout.grid);
    setRingEntry(values, words, at, BigInt(used) << bits);
    setRingEntry(values, words, at + 1, cells.whole('logarithms') << (bits - 44n));
  }
  return {
    statistic: { layout, values },
    rows: used,
    dropped: isWeighted ? cells.count('missing_any') : cells.count('row_count') - used,
    missing: lost,
  };
}

/** How many rows a table had when it answered, those with the weight 0 among them. */
export function countedRows(answers: readonly SqlAnswer[]): number {
  const found = answers.flatMap(({ columns, rows }) => {
    const at = columns.findIndex((name) => name.toLowerCase() === 'row_count');
    return at < 0 ? [] : [Number(rows[0]?.[at] ?? 0)];
  });
  return found[0] ?? 0;
}

/** Refuses weights whose logarithms a query cannot round as a reader of rows does, and a sum of them that was spoiled. */
function refuseUnsure({ known: { study } }: SumsPlan, cells: AnswerCells, file: string): void {
  const count = cells.count('unsure');
  if (count > 0) {
    throw new DataError(
      `${grouped(count)} weights are too small, too large or too near to a rounding for a query`,
      { file, ...defined({ column: study.weights }) },
      'let the rows be read instead; or correct the weights, if they should not be so',
    );
  }
  if (residue(cells.whole('logarithms')) === residue(cells.whole('logarithms_check'))) return;
  throw spoiled(cells, file);
}

/** The packed triangle of sums: those of the slices, each at its shift. */
function sumsOf({ outputs }: SumsPlan, cells: AnswerCells, width: number): bigint[] {
  const sums = new Array<bigint>((width * (width + 1)) / 2).fill(0n);
  for (const { name } of outputs) {
    const parts = /^s_(\d+)_(\d+)_(\d+)$/.exec(name);
    if (parts === null) continue;
    const [i, j, shift] = parts.slice(1).map(Number) as [number, number, number];
    sums[packedIndex(width, i, j)]! += cells.whole(name) << BigInt(shift);
  }
  return sums;
}

function missingCounts({ cells: { read } }: SumsPlan, cells: AnswerCells): Record<string, number> {
  const counts: Record<string, number> = {};
  read.forEach(({ name }, k) => {
    const count = cells.count(`missing_${k}`);
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
  });
  return counts;
}

function refuseMisfits(
  { cells: { read }, known }: SumsPlan,
  cells: AnswerCells,
  file: string,
): void {
  read.forEach(({ name }, k) => {
    const count = cells.count(`misfit_${k}`);
    if (count === 0) return;
    throw new DataError(
      `${grouped(count)} cells do not fit the codebook: outside the range, or no level of the column`,
      { file, column: name },
      'check the unit and the spelling of the levels; correct them in the table, or in a select in its place',
    );
  });
  factorColumns(known).forEach(({ name }, k) => {
    const count = cells.count(`no_level_${k}`);
    if (count === 0) return;
    throw new DataError(
      `${grouped(count)} values are not among the levels of the codebook`,
      { file, column: name },
      'correct them, or ask for a study that lists these levels',
    );
  });
}

/** Refuses a column that leaves its scale: the bounds behind the types of the query would be void. */
function refuseOutside(
  { known: { layout }, outputs }: SumsPlan,
  cells: AnswerCells,
  file: string,
): void {
  const limit = 1n << BigInt(layout.grid > 44 ? 22 : layout.grid);
  for (const { name } of outputs) {
    const parts = /^(least|most)_(\d+)$/.exec(name);
    if (parts === null) continue;
    const value = cells.whole(name);
    if (value <= limit && value >= -limit) continue;
    throw new DataError(
      'a value lies outside the scale of its column',
      { file, column: layout.columns[Number(parts[2])]! },
      'check the unit, or ask for a study with a wider range',
    );
  }
}

/** Σⱼ fⱼ·Sᵢⱼ must be check i modulo the prime: a sum or a product that an engine has wrapped is not. */
function refuseSpoiled(
  sums: readonly bigint[],
  cells: AnswerCells,
  width: number,
  file: string,
): void {
  for (let i = 0; i < width; i++) {
    let combined = 0n;
    for (let j = 0; j < width; j++) {
      combined += BigInt(checkFactor(j)) * sums[packedIndex(width, i, j)]!;
    }
    if (residue(combined) === residue(cells.whole(`check_${i}`))) continue;
    throw spoiled(cells, file);
  }
}

function spoiled({ engine }: AnswerCells, file: string): DataError {
  return new DataError(
    `the sums of ${engine} do not agree with their check sums: it has computed beyond the range of a type without an error, or the answer was changed`,
    { file },
    'run the query again as it was written; if it happens again, let the rows be read instead',
  );
}
