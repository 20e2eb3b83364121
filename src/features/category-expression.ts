import type { Expression } from '../study/formula-expression.ts';
import type { AnyCategory, BoundVariable } from './bound-variable.ts';

const position = 0;

export function numberExpression(value: number): Expression {
  return { kind: 'number', value, position };
}

function binary(
  operator: '+' | '-' | '*' | '==' | '<' | '<=' | '>' | '>=',
  left: Expression,
  right: Expression,
): Expression {
  return { kind: 'binary', operator, left, right, position };
}

/** A sum, nested as little as possible: there may be thousands of parts. It is 0 where there are none. */
export function sumExpression(parts: readonly Expression[]): Expression {
  if (parts.length === 0) return numberExpression(0);
  if (parts.length === 1) return parts[0]!;
  const half = Math.ceil(parts.length / 2);
  return binary('+', sumExpression(parts.slice(0, half)), sumExpression(parts.slice(half)));
}

export function productExpression(left: Expression, right: Expression): Expression {
  return binary('*', left, right);
}

/** 1 where the comparison holds, else 0. */
export function comparisonExpression(
  left: Expression,
  operator: '<' | '<=' | '>' | '>=',
  limit: number,
): Expression {
  return binary(operator, left, numberExpression(limit));
}

/** 1 where a category is at a level, else 0, as arithmetic. */
export function levelExpression(category: AnyCategory, level: number): Expression {
  const code = category.codes[level]!;
  if (category.kind === 'coded') {
    const { expression, isLogical } = category;
    if (isLogical) return code === 1 ? expression : binary('-', numberExpression(1), expression);
    return binary('==', category.expression, numberExpression(code));
  }
  const name: Expression = { kind: 'name', name: category.source, position };
  return category.checked
    ? binary('==', name, { kind: 'text', text: category.written[level]!, position })
    : binary('==', name, numberExpression(code));
}

/** The index of a category's level, as arithmetic. */
export function indexExpression(category: AnyCategory): Expression {
  return sumExpression(
    category.levels.slice(1).map((_, k) => {
      const at = levelExpression(category, k + 1);
      return k === 0 ? at : productExpression(numberExpression(k + 1), at);
    }),
  );
}

/** The number behind a part of a variable, as arithmetic: a column, a function's column, or a contrast. */
export function partExpression(variable: BoundVariable, part: number): Expression {
  if (variable.kind === 'columns') return variable.parts[part]!.expression;
  if (variable.kind === 'number' || variable.kind === 'computed') return variable.expression;
  const { values } = variable.contrasts![part]!;
  return sumExpression(
    values.flatMap((value, level) => {
      if (value === 0) return [];
      const at = levelExpression(variable, level);
      return [value === 1 ? at : productExpression(numberExpression(value), at)];
    }),
  );
}
