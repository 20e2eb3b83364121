import { isCategory } from '../features/bound-variable.ts';
import { partExpression } from '../features/category-expression.ts';
import type { DesignRecipe } from '../features/design.ts';
import type { TermColumn } from '../features/terms.ts';
import { bare } from '../features/variables.ts';
import { isComparison } from '../study/formula-expression.ts';
import type { SqlDouble } from './double-double-sql.ts';
import { comparisonSql, type ExpressionContext, expressionSql } from './expression-sql.ts';
import { joinSql, type Sql, sql } from './layers.ts';

/** A column of the model in SQL: a number, or a condition that is 1 where it holds. */
export type ModelColumn = { readonly value: SqlDouble } | { readonly condition: Sql };

/** Writes the columns of a design; as `features/evaluation.ts` computes them. */
export function modelColumn(
  column: TermColumn,
  { variables }: DesignRecipe,
  context: ExpressionContext,
): ModelColumn {
  const { arithmetic, dialect, cells } = context;
  const conditions = column.indicators.map(({ variable, level }): Sql => {
    const { bound } = variables[variable]!;
    if (!isCategory(bound)) throw new RangeError(`${column.name} indicates a number`);
    const code = bound.codes[level]!;
    if (bound.kind === 'coded') {
      const coded = bare(bound.expression);
      if (!isComparison(coded)) {
        return sql`${expressionSql(coded, context).hi} = ${dialect.double(code)}`;
      }
      const holds = comparisonSql(coded, context);
      return code === 1 ? sql`(${holds})` : sql`not (${holds})`;
    }
    return sql`${cells.valueOf(bound.source)} = ${bound.checked ? code : dialect.double(code)}`;
  });
  const condition = conditions.length === 0 ? undefined : joinSql(conditions, ' and ');
  const factors = column.numbers.map(({ variable, part }) =>
    expressionSql(bare(partExpression(variables[variable]!.bound, part)), context),
  );
  if (factors.length === 0) return { condition: condition ?? sql`1 = 1` };
  const product = factors.reduce((a, b) => arithmetic.multiply(a, b));
  if (condition === undefined) return { value: product };
  const masked = (part: Sql) =>
    sql`case when ${condition} then ${part} else ${dialect.double(0)} end`;
  return {
    value: { hi: masked(product.hi), ...(product.lo && { lo: masked(product.lo) }) },
  };
}
