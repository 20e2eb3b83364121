import type { DisclosureThresholds } from '../study/study.ts';
import { type Finding, onColumns, percent, SLACK, type Verdict } from './rule.ts';
import { effectiveRows, type WeightedFacts } from './weighted-facts.ts';

const PRIVATE = 'or ask for a study with differential privacy';

/** Of rows that do not count alike, or of which several belong to one person. */
interface CountedRows {
  readonly weightings?: readonly WeightedFacts[];
  /** The number of persons, where ids tell it. */
  readonly persons?: number;
}

/** R0: enough rows and persons; of rows that do not count alike, also enough beside those with small weights. */
export function enoughRows(
  rows: number,
  least: number,
  { weightings = [], persons = rows }: CountedRows = {},
): Finding {
  if (rows >= least && persons >= least)
    return { verdicts: weightings.flatMap((known) => fewHeavyRows(known, least)).slice(0, 1) };
  const problem =
    rows < least
      ? `there are fewer than ${least} rows`
      : `the rows are of fewer than ${least} people`;
  return {
    verdicts: [
      { rule: 'R0', level: 'block', columns: [], problem, remedy: `add rows, ${PRIVATE}` },
    ],
  };
}

/** (Σw)²/Σw² below the line: a few rows have most of the weight, so the sums are theirs. */
function fewHeavyRows(weighted: WeightedFacts, least: number): Verdict[] {
  if (effectiveRows(weighted) >= least * (1 - SLACK)) return [];
  return [
    {
      rule: 'R0',
      level: 'block',
      columns: [],
      problem: `a few rows have most of the weight: it is that of fewer than ${least} rows that count alike`,
      remedy:
        'use weights that differ less; start a further round from the model of the round before',
    },
  ];
}

/** R1: few columns for the rows; `columns` counts those that are not zero in every row, responses included. */
export function fewColumns(
  rows: number,
  columns: number,
  { columnShare }: DisclosureThresholds,
): Finding {
  if (columns <= columnShare * rows + SLACK) return { verdicts: [] };
  // The products of rows with rows would be fewer numbers, and each is about two persons.
  const dual = rows < columns ? '; the dual form (rows × rows) is no way out: it is the rows' : '';
  return {
    verdicts: [
      {
        rule: 'R1',
        level: 'block',
        columns: [],
        problem: `${columns} columns are more than ${percent(columnShare)} of the rows, so the rows can be solved for`,
        remedy: `use fewer terms or levels, add rows, ${PRIVATE}${dual}`,
      },
    ],
  };
}

/** R2: enough rows beyond the rank, and no column that follows from others. */
export function beyondRank(
  rows: number,
  { rank, dependent }: { readonly rank: number; readonly dependent: readonly string[] },
  { freedom }: DisclosureThresholds,
): Finding {
  const verdicts = onColumns({
    rule: 'R2',
    level: 'warn',
    columns: dependent,
    problem: 'follows from the columns before it, in every row',
    remedy: 'leave it out of the formula',
  });
  if (rows - rank < freedom) {
    verdicts.push({
      rule: 'R2',
      level: 'block',
      columns: [],
      problem: `fewer than ${freedom} rows are left beyond the coefficients`,
      remedy: `use fewer terms or levels, add rows, ${PRIVATE}`,
    });
  }
  return { verdicts };
}
