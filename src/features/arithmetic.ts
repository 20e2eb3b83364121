import {
  dd,
  ddAdd,
  ddDivide,
  ddExp,
  ddLog,
  ddMultiply,
  ddNegate,
  ddPower,
  ddSubtract,
} from '../numeric/double-double.ts';
import {
  type ComparisonExpression,
  deparse,
  type Expression,
  isComparison,
  levelTest,
} from '../study/formula-expression.ts';
import { type Evaluator, outside } from './evaluator.ts';
import { numberFunction } from './number-functions.ts';
import { piecewiseEvaluator } from './piecewise-polynomial.ts';

/** Positions and codes of the columns in an expression. */
export interface Places {
  /** The cursor's column of a name. */
  indexOf(name: string): number;
  /** The code of a level in a category column. */
  codeOf(name: string, level: string): number;
}

/** Turns arithmetic into a function of a row. */
export function compileArithmetic(expression: Expression, places: Places): Evaluator {
  const compile = (inner: Expression): Evaluator => compileArithmetic(inner, places);
  switch (expression.kind) {
    case 'number': {
      const value = dd(expression.value);
      return () => value;
    }
    case 'name': {
      const index = places.indexOf(expression.name);
      return (cursor) => dd(cursor.columns[index]![cursor.row]!);
    }
    case 'group':
      return compile(expression.inner);
    case 'sign': {
      const operand = compile(expression.operand);
      return expression.operator === '-' ? (cursor) => ddNegate(operand(cursor)) : operand;
    }
    case 'call':
      return numberFunction(expression).compile(expression, expression.arguments.map(compile));
    case 'piecewise':
      return piecewiseEvaluator(compile(expression.argument), expression.pieces);
    case 'binary':
      if (isComparison(expression)) return comparison(expression, places);
      return binary(expression, compile(expression.left), compile(expression.right));
    case 'dot':
    case 'word':
    case 'text':
      throw new RangeError(`${deparse(expression)} is not arithmetic`);
  }
}

/** The value of an expression without columns, such as an exponent. */
export function constantValue(expression: Expression): number {
  const refuse = (name: string): never => {
    throw new RangeError(`not a constant: ${name}`);
  };
  const evaluate = compileArithmetic(expression, { indexOf: refuse, codeOf: refuse });
  return evaluate({ columns: [], origin: { file: '', rowOf: (r) => r }, row: 0 }).hi;
}

function binary(
  expression: Expression & { kind: 'binary' },
  left: Evaluator,
  right: Evaluator,
): Evaluator {
  switch (expression.operator) {
    case '+':
      return (cursor) => ddAdd(left(cursor), right(cursor));
    case '-':
      return (cursor) => ddSubtract(left(cursor), right(cursor));
    case '*':
      return (cursor) => ddMultiply(left(cursor), right(cursor));
    case '/':
      return (cursor) => {
        const divisor = right(cursor);
        if (divisor.hi === 0) throw outside(expression, expression.right, 'away from 0', cursor);
        return ddDivide(left(cursor), divisor);
      };
    case '^':
      return power(expression, left, constantValue(expression.right));
    default:
      throw new RangeError(`"${expression.operator}" is not arithmetic`);
  }
}

const holds: Readonly<Record<ComparisonExpression['operator'], (a: number, b: number) => boolean>> =
  {
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
    '==': (a, b) => a === b,
    '!=': (a, b) => a !== b,
  };

/** 1 if the comparison holds, else 0; numbers are rounded to doubles first, as in R. */
function comparison(expression: ComparisonExpression, places: Places): Evaluator {
  const [yes, no] = [dd(1), dd(0)];
  const test = levelTest(expression);
  if (test !== undefined) {
    const index = places.indexOf(test.column);
    const code = places.codeOf(test.column, test.level);
    return (cursor) => ((cursor.columns[index]![cursor.row]! === code) === test.equal ? yes : no);
  }
  const left = compileArithmetic(expression.left, places);
  const right = compileArithmetic(expression.right, places);
  const compare = holds[expression.operator];
  return (cursor) => (compare(left(cursor).hi, right(cursor).hi) ? yes : no);
}

function power(
  expression: Expression & { kind: 'binary' },
  base: Evaluator,
  exponent: number,
): Evaluator {
  if (Number.isInteger(exponent) && exponent >= 0) {
    return (cursor) => ddPower(base(cursor), exponent);
  }
  if (Number.isInteger(exponent)) {
    return (cursor) => {
      const value = base(cursor);
      if (value.hi === 0) throw outside(expression, expression.left, 'away from 0', cursor);
      return ddDivide(dd(1), ddPower(value, -exponent));
    };
  }
  return (cursor) => {
    const value = base(cursor);
    if (value.hi === 0 && exponent > 0) return dd(0);
    if (!(value.hi > 0)) {
      const rule = exponent > 0 ? 'at least 0' : 'above 0';
      throw outside(expression, expression.left, rule, cursor);
    }
    return ddExp(ddMultiply(ddLog(value), dd(exponent)));
  };
}
