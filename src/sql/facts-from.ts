import { baselinesOf } from '../disclosure/baselines.ts';
import { type ColumnFacts, fewValuedFacts, noFacts } from '../disclosure/column-facts.ts';
import type { DistinctSketch } from '../disclosure/distinct-values.ts';
import { sketchOfCount } from '../disclosure/distinct-values.ts';
import { GROUP_NUMBERS } from '../disclosure/group-facts.ts';
import { levelNamesOf } from '../disclosure/level-names.ts';
import { manyValued, type RowFacts, twoValued } from '../disclosure/row-facts.ts';
import type { WeightedFacts } from '../disclosure/weighted-facts.ts';
import { type Reference, unitReference } from '../features/reference.ts';
import type { Agreement } from '../federate.ts';
import { type AnswerCells, answerCells } from './answer-cells.ts';
import { type FactsPlan, factsPlan } from './facts-plan.ts';
import { postgres } from './postgres-dialect.ts';
import type { SqlAnswer } from './sql-answer.ts';
import type { AnswerChoices } from './summary-from.ts';
import { weightedFactsFrom } from './weighted-facts-from.ts';

/** What the rules know about rows that an engine has summed. */
export interface AnsweredFacts {
  readonly facts: RowFacts;
  /** With the parts of expressions, where the formula has them. */
  readonly originals?: RowFacts;
  /** Where rows have weights. */
  readonly weighted?: WeightedFacts;
  /** The number of persons, where every row has an id. */
  readonly persons?: number;
}

/** Whether the answers have facts, beside sums. */
export function hasFacts(answers: readonly SqlAnswer[]): boolean {
  return answers.some(({ columns }) => columns.some((name) => name.toLowerCase() === 'top_0'));
}

/** The facts from the answers to `factsQuery`, and to `sumsQuery` if they are there: the same as reading the rows gives. */
export function factsFrom(
  agreed: Agreement,
  answers: readonly SqlAnswer[],
  { file = 'the answer', ...traits }: AnswerChoices = {},
): AnsweredFacts {
  const persons = answers.some(({ columns }) =>
    columns.some((name) => name.toLowerCase() === 'persons'),
  );
  const plan = factsPlan(agreed, postgres, { ...traits, persons });
  const names = [...plan.sums.common, ...plan.first, ...plan.second, ...plan.third].map(
    ({ name }) => name,
  );
  const cells = answerCells(agreed, answers, names, plan.sums.common, file);
  const rows = cells.count('used');
  const described = columnsOf(plan);
  const found = described.map((none, k) => ({
    ...none.facts,
    ...columnFacts(cells, k, rows, none.reference),
  }));
  const own = found.filter(({ part }) => part === undefined);
  return {
    facts: rowFacts(cells, own, rows, plan),
    ...(plan.parts.parts.length + plan.parts.tooLong.length === 0
      ? {}
      : { originals: rowFacts(cells, found, rows, plan) }),
    ...(plan.sums.weight === undefined
      ? {}
      : { weighted: weightedFactsFrom(cells, found, plan.sums.known.layout.columns.length - 1) }),
    ...(persons && cells.count('without_person') === 0 ? { persons: cells.count('persons') } : {}),
  };
}

/** The columns that are looked at, before anything is known, as `disclosure/facts-collector.ts` begins. */
function columnsOf({
  sums: { known },
  parts: { parts },
}: FactsPlan): { facts: ColumnFacts; reference: Reference }[] {
  const { layout, design } = known;
  const levels = levelNamesOf(layout, design.terms);
  return [
    ...layout.columns.slice(1).map((name, k) => ({
      facts: noFacts(name, false, levels.get(k + 1)),
      reference: layout.references[k + 1]!,
    })),
    ...baselinesOf(layout, design.terms).map(({ name }, b) => ({
      facts: noFacts(name, true, levels.get(layout.columns.length + b)),
      reference: unitReference,
    })),
    ...parts.map(({ name, compares, selects, compared }) => ({
      facts: noFacts(name, true, undefined, { compares, selects, compared }),
      reference: unitReference,
    })),
  ];
}

function columnFacts(cells: AnswerCells, k: number, rows: number, reference: Reference) {
  const [low, high] = [cells.number(`bottom_${k}`) ?? 0, cells.number(`top_${k}`) ?? 0];
  const tops = cells.count(`tops_${k}`);
  if (low === high) return fewValuedFacts([low], 0, rows, reference);
  if (tops + cells.count(`bottoms_${k}`) === rows) {
    return fewValuedFacts([low, high], tops, rows, reference);
  }
  const first = Math.max(Math.abs(low), Math.abs(high));
  return {
    values: null,
    high: 0,
    whole: cells.count(`broken_${k}`) === 0,
    lowest: low,
    highest: high,
    mean: ((cells.number(`mean_${k}`) ?? 0) - reference.center) / reference.scale,
    squares: (cells.number(`squares_${k}`) ?? 0) / reference.scale ** 2,
    nonzero: cells.count(`nonzero_${k}`),
    size: cells.number(`size_${k}`) ?? 0,
    first,
    second: cells.count(`firsts_${k}`) > 1 ? first : (cells.number(`second_${k}`) ?? 0),
  };
}

function rowFacts(
  cells: AnswerCells,
  columns: readonly ColumnFacts[],
  rows: number,
  { looked }: FactsPlan,
): RowFacts {
  const two = twoValued(columns);
  const many = manyValued(columns);
  const pairs = two.flatMap((i, k) => two.slice(k + 1).map((j) => cells.count(`both_${i}_${j}`)));
  const groups = two.flatMap((j) =>
    many.flatMap((c) =>
      (['high', 'low'] as const).flatMap((side) => {
        const first = cells.number(`first_${side}_${j}_${c}`) ?? 0;
        const several = cells.count(`firsts_${side}_${j}_${c}`) > 1;
        const second = several ? first : (cells.number(`second_${side}_${j}_${c}`) ?? 0);
        return [cells.number(`sum_${side}_${j}_${c}`) ?? 0, first, second];
      }),
    ),
  );
  if (groups.length !== GROUP_NUMBERS * two.length * many.length)
    throw new RangeError('facts of groups');
  return {
    rows,
    columns,
    distinct: columns.map(({ whole, values }, k): DistinctSketch | null => {
      if (!whole) return null;
      return sketchOfCount(
        values?.length ?? (looked[k]!.indicates ? 2 : cells.count(`different_${k}`)),
      );
    }),
    pairs: Float64Array.from(pairs),
    groups: Float64Array.from(groups),
  };
}
