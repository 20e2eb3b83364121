import type { DisclosureThresholds } from '../study/study.ts';
import type { ColumnFacts } from './column-facts.ts';
import { GROUP_NUMBERS } from './group-facts.ts';
import { manyValued, type RowFacts, twoValued } from './row-facts.ts';
import { percent, type RuleId, SLACK, shortenedList, type Verdict } from './rule.ts';
import { SET_NUMBERS, type Side, sidesOf, type WeightedFacts } from './weighted-facts.ts';

const REMEDY =
  'merge the level with another, use weights that differ less, or start a further round from the model of the round before';

/** R3 with weights: no one or two rows have most of the weight of a level. */
export function heavyLevels(
  { columns }: RowFacts,
  { sides: sets }: WeightedFacts,
  { dominance }: DisclosureThresholds,
): Verdict[] {
  const heavy = sidesOf(columns).filter((_, s) => isDominated(sets, SET_NUMBERS * s, dominance));
  if (heavy.length === 0) return [];
  return [
    verdictOn(
      'R3',
      columns,
      heavy,
      heavy.map((side) => sideName(columns, side, 'alone')),
      dominance,
    ),
  ];
}

/** R4 with weights: no one or two rows have most of the weight of a combination of two levels. */
export function heavyCells(
  { columns }: RowFacts,
  { pairs: sets }: WeightedFacts,
  { dominance }: DisclosureThresholds,
): Verdict[] {
  const sides = sidesOf(columns);
  const verdicts: Verdict[] = [];
  let at = 0;
  sides.forEach((a, i) => {
    for (const b of sides.slice(i + 1)) {
      if (isDominated(sets, at, dominance)) {
        const names = [a, b].map((side) => sideName(columns, side, 'paired'));
        verdicts.push(verdictOn('R4', columns, [a, b], [names.join(' × ')], dominance));
      }
      at += SET_NUMBERS;
    }
  });
  return shortenedList(verdicts);
}

/**
 * R5 with weights: no one or two rows make up most of a weighted sum over a group. Where they do so without the weights, the
 * unweighted rule warns.
 */
export function heavySums(
  facts: RowFacts,
  { groups: sets }: WeightedFacts,
  { dominance }: DisclosureThresholds,
): Verdict[] {
  const { columns } = facts;
  const many = manyValued(columns);
  const verdicts: Verdict[] = [];
  sidesOf(columns).forEach((side, i) => {
    many.forEach((c, k) => {
      if (!isDominated(sets, SET_NUMBERS * (i * many.length + k), dominance)) return;
      if (isDominated(facts.groups, groupPlace(facts, side, k), dominance)) return;
      verdicts.push({
        ...verdictOn('R5', columns, [side], [], dominance),
        columns: [columns[side.column].name, columns[c].name],
        names: [`${columns[c].name} over ${sideName(columns, side, 'alone')}`],
        problem: `one row makes up more than ${percent(dominance[0])} of the weighted sum, or two more than ${percent(dominance[1])}`,
      });
    });
  });
  return shortenedList(verdicts);
}

/** Where the unweighted facts hold the sums of the k-th many-valued column over a side. */
function groupPlace({ columns }: RowFacts, { column, high }: Side, k: number): number {
  const split = twoValued(columns).indexOf(column);
  return GROUP_NUMBERS * (split * manyValued(columns).length + k) + (high ? 0 : SET_NUMBERS);
}

function verdictOn(
  rule: RuleId,
  columns: readonly ColumnFacts[],
  sides: readonly Side[],
  names: readonly string[],
  [one, two]: DisclosureThresholds['dominance'],
): Verdict {
  return {
    rule,
    level: 'block',
    columns: [...new Set(sides.map(({ column }) => columns[column].name))],
    names: [...new Set(names)],
    problem: `one row has more than ${percent(one)} of the weight, or two more than ${percent(two)}`,
    remedy: REMEDY,
  };
}

function isDominated(
  sets: Float64Array,
  at: number,
  [one, two]: DisclosureThresholds['dominance'],
): boolean {
  const [size, first, second] = sets.subarray(at, at + SET_NUMBERS);
  return first > (one + SLACK) * size || first + second > (two + SLACK) * size;
}

function sideName(
  columns: readonly ColumnFacts[],
  { column, high }: Side,
  use: 'alone' | 'paired',
): string {
  const { name, levels } = columns[column];
  const level = high ? levels?.one : levels?.zero;
  return (
    level?.[use] ?? (use === 'alone' ? `the rows with one value of ${name}` : `a value of ${name}`)
  );
}
