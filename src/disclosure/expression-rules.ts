import type { ExpressionParts, Summand } from '../features/expression-parts.ts';
import { unitReference } from '../features/reference.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import type { ColumnFacts } from './column-facts.ts';
import { largestShare } from './influence-rules.ts';
import type { RowFacts } from './row-facts.ts';
import { onColumns, percent, SLACK, type Verdict } from './rule.ts';

/** A part of a sum below this share of the other one is in digits that no measurement has. */
const HIDDEN = 2 ** -24;
/** Bits of the grid that every measurement fits. */
const USUAL_GRID = 44;

/** R3 at a site that takes no comparisons. */
export const noComparisons: Verdict = {
  rule: 'R3',
  level: 'block',
  columns: [],
  problem: 'the formula compares columns with values, and this site takes no comparisons',
  remedy: 'ask for a formula without comparisons: the column itself, or a category of the codebook',
};

/** R5 inside expressions: no part of a sum is hidden in digits that the other part does not use. */
export function hiddenParts(
  { columns }: RowFacts,
  { sums, tooLong }: Pick<ExpressionParts, 'sums' | 'tooLong'>,
  grid: number,
): Verdict[] {
  const parts = partsIn(columns);
  const sizeOf = (side: Summand) =>
    'constant' in side ? side.constant : sizeOfColumn(parts[side.part]);
  const hidden = sums.flatMap(({ sides: [a, b] }) => {
    const [small, large] = sizeOf(a) < sizeOf(b) ? [a, b] : [b, a];
    const hides = sizeOf(small) > 0 && sizeOf(small) < HIDDEN * sizeOf(large);
    return hides && 'part' in small ? [parts[small.part].name] : [];
  });
  const adds = sums.some(({ sides }) => sides.every((side) => 'part' in side));
  return [
    ...onColumns({
      rule: 'R5',
      level: 'block',
      columns: [...new Set(hidden)],
      problem:
        'it is added to something more than ten million times as large, so the sum would carry it in digits that no measurement has',
      remedy: 'ask for it as a column of its own, or leave it out',
    }),
    ...onColumns({
      rule: 'R5',
      level: 'block',
      columns: tooLong,
      problem: 'it has too many parts to look at each of them',
      remedy: 'ask for its parts as columns of their own',
    }),
    ...(grid > USUAL_GRID && adds
      ? [
          {
            rule: 'R5',
            level: 'warn',
            columns: [],
            problem: `the study keeps ${grid} bits where ${USUAL_GRID} hold every measurement, and a term adds columns: numbers could hide in the further digits`,
            remedy:
              'acknowledge it if the formula is as it should be, or ask for a study without "grid"',
          } as const,
        ]
      : []),
  ];
}

/** R6 inside expressions: no row makes up most of the squares of a part that picks out rows. */
export function influentialParts(
  { columns, rows }: RowFacts,
  { influence }: DisclosureThresholds,
): Verdict[] {
  const dominated = partsIn(columns).filter(
    (column) =>
      column.part?.selects === true &&
      column.values?.length !== 1 &&
      !(largestShare(column, unitReference, rows) <= influence + SLACK),
  );
  const verdict = {
    rule: 'R6',
    problem: `one row makes up more than ${percent(influence)} of the squares of this part of a term`,
    remedy: 'leave the term out, or ask for its parts as columns of their own',
  } as const;
  const named = (compares: boolean) =>
    dominated.filter(({ part }) => part?.compares === compares).map(({ name }) => name);
  return [
    ...onColumns({ ...verdict, level: 'block', columns: named(true) }),
    ...onColumns({ ...verdict, level: 'warn', columns: named(false) }),
  ];
}

function partsIn(columns: readonly ColumnFacts[]): ColumnFacts[] {
  return columns.filter(({ part }) => part !== undefined);
}

function sizeOfColumn({ lowest, highest }: ColumnFacts): number {
  return Math.max(Math.abs(lowest), Math.abs(highest));
}
