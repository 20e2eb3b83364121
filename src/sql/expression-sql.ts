import { DataError } from '../data-error.ts';
import { constantValue } from '../features/arithmetic.ts';
import type { ArithmeticWriter } from '../features/arithmetic-writer.ts';
import { numberFunction } from '../features/number-functions.ts';
import { writePiecewise } from '../features/piecewise-polynomial.ts';
import { levelCode } from '../features/variables.ts';
import type { Codebook } from '../study/codebook.ts';
import {
  type ComparisonExpression,
  deparse,
  type Expression,
  isComparison,
  levelTest,
} from '../study/formula-expression.ts';
import type { SqlCells } from './cells.ts';
import type { SqlDialect } from './dialect.ts';
import type { SqlArithmetic, SqlDouble } from './double-double-sql.ts';
import { type Sql, sql } from './layers.ts';

/** What arithmetic in a formula needs of the table. */
export interface ExpressionContext {
  readonly codebook: Codebook;
  readonly cells: SqlCells;
  readonly dialect: SqlDialect;
  readonly arithmetic: SqlArithmetic;
}

/** An expression as `features/arithmetic.ts` computes it, in SQL; refuses what engines may round otherwise. */
export function expressionSql(expression: Expression, context: ExpressionContext): SqlDouble {
  const { arithmetic, cells } = context;
  const inner = (part: Expression) => expressionSql(part, context);
  switch (expression.kind) {
    case 'number':
      return arithmetic.constant(expression.value);
    case 'name':
      return { hi: cells.valueOf(expression.name) };
    case 'group':
      return inner(expression.inner);
    case 'sign': {
      const operand = inner(expression.operand);
      return expression.operator === '-' ? arithmetic.negate(operand) : operand;
    }
    case 'call':
      return numberFunction(expression).write(
        sqlWriter(expression, context),
        expression.arguments.map(inner),
        expression,
      );
    case 'piecewise':
      return writePiecewise(
        sqlWriter(expression, context),
        inner(expression.argument),
        expression.pieces,
      );
    case 'binary':
      return isComparison(expression)
        ? {
            hi: sql`case when ${comparisonSql(expression, context)} then ${context.dialect.double(1)} else ${context.dialect.double(0)} end`,
          }
        : binarySql(expression, context);
    default:
      throw notExact(expression);
  }
}

/** Writes the functions of a formula; refuses those that engines may round otherwise. */
function sqlWriter(
  whole: Expression,
  { arithmetic, dialect }: ExpressionContext,
): ArithmeticWriter<SqlDouble> {
  const refuse = (): never => {
    throw notExact(whole);
  };
  const either = (test: Sql, yes: SqlDouble, no: SqlDouble): SqlDouble => {
    const zero = sql`${dialect.double(0)}`;
    const part = (a: Sql, b: Sql) => sql`case when ${test} then ${a} else ${b} end`;
    const hi = part(yes.hi, no.hi);
    if (yes.lo === undefined && no.lo === undefined) return { hi };
    return { hi, lo: part(yes.lo ?? zero, no.lo ?? zero) };
  };
  const before = (a: SqlDouble, b: SqlDouble, operator: '<' | '>'): Sql => {
    const zero = sql`${dialect.double(0)}`;
    return sql`${a.hi} ${operator} ${b.hi} or (${a.hi} = ${b.hi} and ${a.lo ?? zero} ${operator}= ${b.lo ?? zero})`;
  };
  return {
    number: (value) => arithmetic.constant(value),
    column: refuse,
    atLevel: refuse,
    negative: (operand) => arithmetic.negate(operand),
    operate(operator, left, right) {
      if (operator === '+') return arithmetic.add(left, right);
      if (operator === '-') return arithmetic.add(left, arithmetic.negate(right));
      return operator === '*' ? arithmetic.multiply(left, right) : refuse();
    },
    power: refuse,
    call: (name, argument) => (name === 'abs' ? arithmetic.absolute(argument) : refuse()),
    compare: (operator, left, right) => ({
      hi: sql`case when ${left.hi} ${operators[operator] ?? operator} ${right.hi} then ${dialect.double(1)} else ${dialect.double(0)} end`,
    }),
    choose: (test, yes, no) => either(sql`${test.hi} <> ${dialect.double(0)}`, yes, no),
    least: (left, right) => either(before(left, right, '<'), left, right),
    greatest: (left, right) => either(before(left, right, '>'), left, right),
    round: refuse,
  };
}

const operators: Readonly<Record<string, string>> = { '==': '=', '!=': '<>' };

function binarySql(
  expression: Expression & { kind: 'binary' },
  context: ExpressionContext,
): SqlDouble {
  const { arithmetic } = context;
  const { operator, left, right } = expression;
  if (operator === '^') {
    const exponent = constantValue(right);
    if (!Number.isInteger(exponent) || exponent < 0) throw notExact(expression);
    return arithmetic.power(expressionSql(left, context), exponent);
  }
  const [a, b] = [left, right].map((side) => expressionSql(side, context)) as [
    SqlDouble,
    SqlDouble,
  ];
  if (operator === '+') return arithmetic.add(a, b);
  if (operator === '-') return arithmetic.add(a, arithmetic.negate(b));
  if (operator === '*') return arithmetic.multiply(a, b);
  throw notExact(expression);
}

/** A comparison as a condition. */
export function comparisonSql(expression: ComparisonExpression, context: ExpressionContext): Sql {
  const test = levelTest(expression);
  if (test !== undefined) {
    const column = context.codebook[test.column]!;
    const code = levelCode(column, test.level);
    const value = context.cells.valueOf(test.column);
    const wanted = column.type === 'number' ? context.dialect.double(code) : code;
    return sql`${value} ${test.equal ? '=' : '<>'} ${wanted}`;
  }
  const operator = operators[expression.operator] ?? expression.operator;
  const [left, right] = [expression.left, expression.right].map((side) =>
    expressionSql(side, context),
  );
  return sql`${left!.hi} ${operator} ${right!.hi}`;
}

function notExact(expression: Expression): DataError {
  return new DataError(
    `${deparse(expression)} is not the same to the last bit in every engine, so it is not written as a query`,
    {},
    'let the rows be read instead: stream them from the database, or export them to a file',
  );
}
