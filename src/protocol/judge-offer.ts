import { columnInterval } from '../features/reference.ts';
import type { Agreement } from '../federate.ts';
import {
  type CategoryColumn,
  type Column,
  defaultMissing,
  type NumberColumn,
  SITE_COLUMN,
} from '../study/codebook.ts';
import { DAYS, dateText } from '../table/written-date.ts';
import type { Mismatch, OfferedColumn } from './messages.ts';

/** The columns that a study needs from a site's file. */
export function offerableColumns({ columns }: Pick<Agreement, 'columns'>): Agreement['columns'] {
  const seen = new Map(columns.map((one) => [one.name, one]));
  seen.delete(SITE_COLUMN);
  return [...seen.values()];
}

/** Where a site's columns do not match the study; empty if all match. */
export function judgeOffer(
  agreed: Pick<Agreement, 'columns'>,
  columns: readonly OfferedColumn[],
): Mismatch[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return offerableColumns(agreed).flatMap(({ name, column }) => {
    const offered = byName.get(name);
    if (offered === undefined || offered.found === 'absent') return [absent(name)];
    if (offered.found === 'empty') return [empty(name)];
    if (column.type === 'id') return [];
    return column.type === 'number' ? judgeNumbers(column, offered) : judgeLevels(column, offered);
  });
}

/**
 * Mismatches that refuse a file. In a private study these are absent columns only: whether cells fit depends on rows, and
 * others would see the refusal.
 */
export function refusingMismatches(
  agreed: Pick<Agreement, 'columns' | 'method'>,
  columns: readonly OfferedColumn[],
): Mismatch[] {
  const mismatches = judgeOffer(agreed, columns);
  if (agreed.method.noise === undefined) return mismatches;
  const there = new Set(columns.flatMap(({ name, found }) => (found === 'absent' ? [] : [name])));
  return mismatches.filter(({ column }) => !there.has(column));
}

function absent(column: string): Mismatch {
  return {
    column,
    problem: 'the file has no such column',
    remedy: `name the column "${column}" in the header line, as the study does`,
  };
}

function empty(column: string): Mismatch {
  return {
    column,
    problem: 'every cell is missing',
    remedy: 'fill the column, or ask for a study without it',
  };
}

function judgeNumbers(column: NumberColumn, offered: OfferedColumn): Mismatch[] {
  const { name, found, unknownTexts, range, suspicion } = offered;
  if (found === 'text' || range === 'not-a-number') {
    return [
      {
        column: name,
        problem: 'the column has texts, but the study needs numbers',
        remedy: 'write plain numbers; check the decimal mark, and whether this is the right column',
      },
    ];
  }
  const problems: Mismatch[] = [];
  if (unknownTexts > 0) {
    problems.push({
      column: name,
      problem:
        unknownTexts === 1
          ? 'one text is neither a number nor a missing marker of the study'
          : 'some texts are neither numbers nor missing markers of the study',
      remedy: `${missingRemedy(column)}, write numbers without units, or ask for a study with your marker`,
    });
  }
  if (range === 'outside') {
    const { low, high } = columnInterval(column) ?? { low: -Infinity, high: Infinity };
    const unit = column.unit === undefined ? '' : ` ${column.unit}`;
    problems.push({
      column: name,
      problem:
        column.unit === DAYS
          ? `not all dates are from ${dateText(low)} to ${dateText(high)}`
          : `not all numbers are from ${low} to ${high}${unit}`,
      remedy:
        suspicion === undefined
          ? 'correct the cells outside this range, or ask for a study with a wider range'
          : `the numbers look ${suspicion}: check the unit${unit === '' ? '' : `; the study uses${unit}`}`,
    });
  }
  return problems;
}

function judgeLevels(column: CategoryColumn, { name, unknownTexts }: OfferedColumn): Mismatch[] {
  if (unknownTexts === 0) return [];
  const levels = column.levels.slice(0, 12).map((level) => JSON.stringify(level));
  if (column.levels.length > levels.length) levels.push('…');
  return [
    {
      column: name,
      problem: `${texts(unknownTexts)} not among its levels`,
      remedy: `write the levels as the study does: ${levels.join(', ')}; ${missingRemedy(column)}`,
    },
  ];
}

function texts(count: number): string {
  return count === 1 ? 'one text is' : `${count} different texts are`;
}

function missingRemedy({ missing = defaultMissing }: Column): string {
  if (missing.length === 0) return 'leave no cell missing';
  return `write missing cells as ${missing.map((marker) => JSON.stringify(marker)).join(' or ')}`;
}
