import {
  deparse,
  type Expression,
  expressionColumns,
  isComparison,
  levelTest,
} from '../study/formula-expression.ts';
import { constantValue } from './arithmetic.ts';
import type { ColumnRange } from './column-range.ts';
import {
  addIntervals,
  expInterval,
  hull,
  type Interval,
  invertInterval,
  logInterval,
  multiplyIntervals,
  negateInterval,
  pointInterval,
  powerInterval,
} from './interval.ts';
import { narrowedFacts } from './narrowed-facts.ts';
import { numberFunction } from './number-functions.ts';
import { piecewiseInterval } from './piecewise-polynomial.ts';

/** Creates the error for a position in the formula. */
export type Refuse = (position: number, problem: string, remedy: string) => Error;

/** All values of an expression if each column stays in its own interval. */
export function arithmeticInterval(
  expression: Expression,
  facts: ColumnRange,
  refuse: Refuse,
): Interval {
  const recur = (inner: Expression): Interval => arithmeticInterval(inner, facts, refuse);
  const needs = (inner: Expression, rule: string, found: Interval): Error => {
    const columns = expressionColumns(inner).map((name) => `"${name}"`);
    const label = deparse(inner);
    return refuse(
      expression.position,
      `${deparse(expression)} needs ${label} ${rule}, but by the codebook ${label} runs from ` +
        `${shown(found.low)} to ${shown(found.high)}`,
      `change the range of ${columns.join(' and ') || label} in the codebook, or the formula`,
    );
  };

  switch (expression.kind) {
    case 'number':
      return pointInterval(expression.value);
    case 'name':
      return facts.intervalOf(expression.name, expression.position);
    case 'group':
      return recur(expression.inner);
    case 'sign': {
      const operand = recur(expression.operand);
      return expression.operator === '-' ? negateInterval(operand) : operand;
    }
    case 'call':
      return numberFunction(expression).interval({
        call: expression,
        of(place, test, outcome) {
          const narrowed = test && narrowedFacts(facts, test, outcome);
          return arithmeticInterval(expression.arguments[place]!, narrowed ?? facts, refuse);
        },
        needs: (place, rule) => {
          const argument = expression.arguments[place]!;
          return needs(argument, rule, recur(argument));
        },
      });
    case 'piecewise':
      return piecewiseInterval(recur(expression.argument), expression.pieces);
    case 'binary': {
      if (isComparison(expression)) {
        const test = levelTest(expression);
        if (test !== undefined) facts.checkLevel(test, expression.position);
        else for (const side of [expression.left, expression.right]) recur(side);
        return { low: 0, high: 1 };
      }
      const left = recur(expression.left);
      if (expression.operator === '^') {
        return power(left, constantValue(expression.right), (rule) =>
          needs(expression.left, rule, left),
        );
      }
      const right = recur(expression.right);
      if (expression.operator === '+') return addIntervals(left, right);
      if (expression.operator === '-') return addIntervals(left, negateInterval(right));
      if (expression.operator === '*') return multiplyIntervals(left, right);
      const inverse = invertInterval(right);
      if (inverse === undefined) throw needs(expression.right, 'away from 0', right);
      return multiplyIntervals(left, inverse);
    }
    case 'dot':
    case 'word':
    case 'text':
      throw refuse(expression.position, `${deparse(expression)} is not a number`, 'name a column');
  }
}

function power(base: Interval, exponent: number, needs: (rule: string) => Error): Interval {
  if (Number.isInteger(exponent)) {
    const raised = powerInterval(base, Math.abs(exponent));
    if (exponent >= 0) return raised;
    const inverse = invertInterval(raised);
    if (inverse === undefined) throw needs('away from 0');
    return inverse;
  }
  if (!(base.low > 0 || (base.low === 0 && exponent > 0))) {
    throw needs(exponent > 0 ? 'at least 0' : 'above 0');
  }
  return hull(expLog(base.low, exponent), expLog(base.high, exponent));
}

function expLog(base: number, exponent: number): Interval {
  if (base === 0) return pointInterval(0);
  return expInterval(multiplyIntervals(logInterval(pointInterval(base))!, pointInterval(exponent)));
}

function shown(bound: number): string {
  return String(Number(bound.toPrecision(6)));
}
