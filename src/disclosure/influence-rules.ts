import type { Reference } from '../features/reference.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import type { ColumnFacts } from './column-facts.ts';
import { GROUP_NUMBERS } from './group-facts.ts';
import { manyValued, type RowFacts, twoValued } from './row-facts.ts';
import { type Finding, onColumns, percent, SLACK, shortenedList, type Verdict } from './rule.ts';
import type { WeightedFacts } from './weighted-facts.ts';

/** R5, second part: no one or two rows make up most of a sum over a group. */
export function dominance(facts: RowFacts, { dominance, cell }: DisclosureThresholds): Verdict[] {
  const { rows, columns, groups } = facts;
  const many = manyValued(columns);
  const verdicts: Verdict[] = [];
  twoValued(columns).forEach((j, a) => {
    many.forEach((c, b) => {
      const at = GROUP_NUMBERS * (a * many.length + b);
      const { name, high } = columns[j];
      const [atHigh, atLow] = [high, rows - high].map((count, side) => {
        const [size, first, second] = groups.subarray(at + 3 * side, at + 3 * side + 3);
        const [one, two] = dominance.map((share) => (share + SLACK) * size);
        return count >= cell && (first > one || first + second > two);
      });
      if (!atHigh && !atLow) return;
      const group = groupNames(columns[j]);
      const dominated = [...(atHigh ? [group.high] : []), ...(atLow ? [group.low] : [])];
      verdicts.push({
        rule: 'R5',
        level: 'warn',
        columns: [name, columns[c].name],
        names: [...new Set(dominated)].map((group) => `${columns[c].name} over ${group}`),
        problem: `one row makes up more than ${percent(dominance[0])} of the sum, or two more than ${percent(dominance[1])}`,
        remedy:
          'acknowledge it if the sum may be known, leave the largest rows out, or cap the column',
      });
    });
  });
  return shortenedList(verdicts);
}

/** Names of the rows with the larger value of a column and of those with the smaller. */
function groupNames({ name, levels }: ColumnFacts): {
  readonly high: string;
  readonly low: string;
} {
  if (levels === undefined) {
    const group = `the rows with one value of ${name}`;
    return { high: group, low: group };
  }
  const { one, zero = { alone: `all but ${one.paired}` } } = levels;
  return { high: one.alone, low: zero.alone };
}

/** What R6 knows of single rows beside the facts: the largest leverage, and how they count. */
export interface RowInfluence {
  readonly leverage: number;
  readonly measured: boolean;
  /** The largest leverage over predictors and responses together, if it was measured. */
  readonly whole?: number;
  /** If rows do not count alike. */
  readonly weighted?: WeightedFacts;
  /** Whether leverage from which a site must acknowledge it already refuses: where nothing vouches for the weights. */
  readonly strict: boolean;
}

/** R6 where nothing vouches for the layers that make the columns: with made-up ones a column can be about one row. */
export const madeUpColumns: Verdict = {
  rule: 'R6',
  level: 'block',
  columns: [],
  problem:
    'the study gives layers that decide the columns, and nothing vouches that they are those of an earlier contact: they may be made up to single out a row',
  remedy:
    'run the further contact where the one before was run, so that a coordinator compares the two',
};

/** R6: no row makes up most of a column's squares, and no row has a high leverage. */
export function influenceRule(
  layout: LinearLayout,
  facts: RowFacts,
  { leverage: value, measured, whole = 0, weighted, strict }: RowInfluence,
  thresholds: DisclosureThresholds,
): Finding {
  const { influence, noticeableLeverage: noticeable } = thresholds;
  const most = strict ? Math.min(influence, noticeable) : influence;
  const dominated = facts.columns.filter((column, k) => {
    if (column.baseline || column.values?.length === 1) return false;
    const share = largestShare(column, layout.references[k + 1], facts.rows);
    // The stricter line is about weights that nobody vouches for: without them a column is as in any study.
    return !(share <= influence + SLACK && (weighted?.shares[k] ?? 0) <= most + SLACK);
  });
  const verdicts = onColumns({
    rule: 'R6',
    level: 'block',
    columns: dominated.map(({ name }) => name),
    problem: `one row makes up more than ${percent(most)} of the squares`,
    remedy: 'leave the row out, cap the column, or take its logarithm',
  });
  if (measured && Number.isNaN(value)) {
    verdicts.push({
      rule: 'R6',
      level: 'block',
      columns: [],
      problem: 'the leverage of the rows cannot be measured: the sums leave the range of numbers',
      remedy:
        'use weights that differ less; start a further round from the model of the round before',
    });
  }
  if (value > noticeable + SLACK) {
    const blocks = measured && value > most + SLACK;
    const line = percent(blocks ? most : noticeable);
    verdicts.push({
      rule: 'R6',
      level: blocks ? 'block' : 'warn',
      columns: [],
      problem: `one row ${measured ? 'has' : 'may have'} a leverage of more than ${line}, and pulls the model towards itself`,
      remedy: blocks
        ? 'leave the row out, use fewer terms, or add rows like it'
        : 'acknowledge it, leave the row out, or use fewer terms',
    });
  }
  // Residuals of few rows differ by chance, so the line is higher: half way from that of the predictors to all.
  const limit = (1 + influence) / 2;
  if (!(whole <= influence + SLACK)) {
    const blocks = !(whole <= limit + SLACK);
    verdicts.push({
      rule: 'R6',
      level: blocks ? 'block' : 'warn',
      columns: [],
      problem: `one row makes up more than ${percent(blocks ? limit : influence)} of the squares of a sum of columns, with those of the response`,
      remedy: blocks
        ? 'leave the row out, use fewer terms, or ask for the response itself in place of an expression'
        : 'acknowledge it, leave the row out, or use fewer terms',
    });
  }
  return { verdicts };
}

/**
 * The largest share one row can have in Σ(v − c)² over all centres c, because anyone with Σv and Σv² can choose c:
 * 1/n + (v − v̄)² / Σ(v − v̄)².
 */
export function largestShare(
  { values, high, lowest, highest, mean, squares }: ColumnFacts,
  { center, scale }: Reference,
  rows: number,
): number {
  if (values !== null) return values.length < 2 ? 0 : 1 / Math.min(high, rows - high);
  const reach = Math.max((highest - center) / scale - mean, mean - (lowest - center) / scale);
  return 1 / rows + reach ** 2 / squares;
}
