import { baselinesOf } from '../disclosure/baselines.ts';
import { type ExpressionParts, expressionParts } from '../features/expression-parts.ts';
import type { Agreement } from '../federate.ts';
import type { IdColumn } from '../study/codebook.ts';
import { defaultMissing } from '../study/codebook.ts';
import { trimBlanks } from '../table/cell-text.ts';
import type { TableTraits } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import { expressionSql } from './expression-sql.ts';
import { around, type Named, type Sql, sql } from './layers.ts';
import { modelColumn } from './model-columns.ts';
import { type SqlOutput, type SumsPlan, sumsPlan } from './sums-plan.ts';
import { type WeightedOutputs, weightedOutputs } from './weighted-facts-plan.ts';

/** A column that the disclosure rules look at, in the user's units; NULL in rows that are not used. */
export interface LookedColumn {
  readonly value: Named;
  /** Whether it can have more than two values and is a column of the statistic. */
  readonly many: boolean;
  /** Whether it is 0 or 1 by construction. */
  readonly indicates: boolean;
}

/** What the queries of facts ask, in three steps: the later ones compare each row with what the earlier ones have found. */
export interface FactsPlan {
  readonly sums: SumsPlan;
  readonly parts: ExpressionParts;
  /** The columns of the statistic without the constant, the baselines of categories, the parts of expressions. */
  readonly looked: readonly LookedColumn[];
  /** Extremes, means and numbers of different values; persons. */
  readonly first: readonly SqlOutput[];
  /** Counts at the extremes, cells of pairs, sums and largest sizes of groups. */
  readonly second: readonly SqlOutput[];
  /** Second largest sizes of groups. */
  readonly third: readonly SqlOutput[];
}

/** Plans the facts of the disclosure rules about the rows of a study. */
export function factsPlan(agreed: Agreement, dialect: SqlDialect, traits: FactsTraits): FactsPlan {
  const sums = sumsPlan(agreed, dialect, traits);
  const parts = partsOf(sums);
  const looked = lookedAt(sums, parts, dialect);
  const all = looked.map(({ value }, k) => ({ value, k }));
  const count = (condition: Sql): Sql =>
    around(dialect.sum, sql`case when ${condition} then 1 else 0 end`);
  const pairs = all.flatMap(({ value, k }) =>
    all.slice(k + 1).map((other) => ({
      name: `both_${k}_${other.k}`,
      value: count(sql`${value} = top_${k} and ${other.value} = top_${other.k}`),
    })),
  );
  const groups = all.flatMap(({ value: split, k: j }) =>
    looked.flatMap(({ value, many }, c) =>
      many && c !== j
        ? [
            { j, c, side: 'high', end: 'top', split, size: sql`abs(${value})` },
            { j, c, side: 'low', end: 'bottom', split, size: sql`abs(${value})` },
          ]
        : [],
    ),
  );
  const weighted = weighed(sums, looked, dialect);
  return {
    sums,
    parts,
    looked,
    first: [
      ...weighted.first,
      ...all.flatMap(({ value, k }) => [
        { name: `bottom_${k}`, value: sql`min(${value})` },
        { name: `top_${k}`, value: sql`max(${value})` },
        { name: `mean_${k}`, value: sql`avg(${value})` },
        ...(looked[k]!.indicates
          ? []
          : [{ name: `different_${k}`, value: sql`count(distinct ${value})` }]),
      ]),
      ...personOutputs(agreed, sums, dialect, traits),
    ],
    second: [
      ...weighted.second,
      ...all.flatMap(({ value, k }) => [
        { name: `tops_${k}`, value: count(sql`${value} = top_${k}`) },
        { name: `bottoms_${k}`, value: count(sql`${value} = bottom_${k}`) },
        { name: `broken_${k}`, value: count(sql`${value} <> floor(${value})`) },
        { name: `nonzero_${k}`, value: count(sql`${value} <> ${dialect.double(0)}`) },
        { name: `size_${k}`, value: sql`sum(abs(${value}))` },
        {
          name: `squares_${k}`,
          value: sql`sum((${value} - mean_${k}) * (${value} - mean_${k}))`,
        },
        {
          name: `firsts_${k}`,
          value: count(sql`abs(${value}) >= abs(top_${k}) and abs(${value}) >= abs(bottom_${k})`),
        },
        {
          name: `second_${k}`,
          value: sql`max(case when abs(${value}) < abs(top_${k}) or abs(${value}) < abs(bottom_${k}) then abs(${value}) end)`,
        },
      ]),
      ...pairs,
      ...groups.flatMap(({ j, c, side, end, split, size }) => {
        const isIn = sql`${split} = ${end}_${j}`;
        return [
          {
            name: `sum_${side}_${j}_${c}`,
            value: sql`sum(case when ${isIn} then ${size} else ${dialect.double(0)} end)`,
          },
          { name: `first_${side}_${j}_${c}`, value: sql`max(case when ${isIn} then ${size} end)` },
        ];
      }),
    ],
    third: [
      ...weighted.third,
      ...groups.flatMap(({ j, c, side, end, split, size }) => {
        const isIn = sql`${split} = the_${end}_${j}`;
        return [
          {
            name: `firsts_${side}_${j}_${c}`,
            value: count(sql`${isIn} and ${size} = first_${side}_${j}_${c}`),
          },
          {
            name: `second_${side}_${j}_${c}`,
            value: sql`max(case when ${isIn} and ${size} < first_${side}_${j}_${c} then ${size} end)`,
          },
        ];
      }),
    ],
  };
}

function weighed(
  { known: { layout }, layers, cells, weight }: SumsPlan,
  looked: readonly LookedColumn[],
  dialect: SqlDialect,
): WeightedOutputs {
  if (weight === undefined) return { first: [], second: [], third: [] };
  const summed = layout.columns.length - 1;
  return weightedOutputs(
    layers.name(sql`case when ${cells.used} = 1 then ${weight.value} end`),
    looked.map(({ value, many }, k) => ({ value, many, isSummed: k < summed })),
    dialect,
  );
}

/** What is known about the table, for the facts. */
export interface FactsTraits extends TableTraits {
  /** Whether the table has the study's column of persons' ids; it must, unless this says no. */
  readonly persons?: boolean;
}

function partsOf({ known: { study, design } }: SumsPlan): ExpressionParts {
  return expressionParts(study.formula, study.codebook, design.variables);
}

function lookedAt(
  { known, layers, cells, context }: SumsPlan,
  { parts }: ExpressionParts,
  dialect: SqlDialect,
): LookedColumn[] {
  const { design, recipe, layout } = known;
  const skip = design.intercept ? 1 : 0;
  const inUse = (value: Sql) => layers.name(sql`case when ${cells.used} = 1 then ${value} end`);
  const flag = (condition: Sql) =>
    sql`case when ${condition} then ${dialect.double(1)} else ${dialect.double(0)} end`;
  const own = recipe.columns.slice(skip).map((column): LookedColumn => {
    const made = modelColumn(column, recipe, context);
    return 'condition' in made
      ? { value: inUse(flag(made.condition)), many: false, indicates: true }
      : { value: inUse(made.value.hi), many: true, indicates: false };
  });
  const baselines = baselinesOf(layout, design.terms).map(({ columns }): LookedColumn => {
    const taken = columns.map((k) => own[k - 1]!.value);
    const rest = taken.reduce<Sql>(
      (left, one) => sql`(${left} - ${one})`,
      sql`${dialect.double(1)}`,
    );
    return { value: layers.name(rest), many: false, indicates: true };
  });
  const inner = parts.map(
    ({ expression }): LookedColumn => ({
      value: inUse(expressionSql(expression, context).hi),
      many: false,
      indicates: false,
    }),
  );
  return [...own, ...baselines, ...inner];
}

/** The column of persons' ids, if the study has one. */
export function personColumn({ known: { study } }: SumsPlan): string | undefined {
  return Object.keys(study.codebook).find((name) => study.codebook[name]!.type === 'id');
}

function personOutputs(
  _agreed: Agreement,
  sums: SumsPlan,
  dialect: SqlDialect,
  { persons = true }: FactsTraits,
): SqlOutput[] {
  const column = personColumn(sums);
  if (column === undefined || !persons) return [];
  const { missing = defaultMissing } = sums.known.study.codebook[column] as IdColumn;
  const id = sums.layers.name(sql`${dialect.label(dialect.quote(column))}`);
  const markers = missing.map((one) => dialect.labelText(trimBlanks(one))).join(', ');
  const none =
    missing.length === 0 ? sql`${id} is null` : sql`${id} is null or ${id} in (${markers})`;
  const { used } = sums.cells;
  const without = sql`case when ${used} = 1 and (${none}) then 1 else 0 end`;
  return [
    { name: 'persons', value: sql`count(distinct case when ${used} = 1 then ${id} end)` },
    { name: 'without_person', value: around(dialect.sum, without) },
  ];
}
