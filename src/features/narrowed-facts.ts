import { numberOf } from '../study/formula-constants.ts';
import {
  type ComparisonOperator,
  type Expression,
  isComparison,
} from '../study/formula-expression.ts';
import type { ColumnRange } from './column-range.ts';
import { type Interval, meet } from './interval.ts';

/** The codebook's ranges in the rows where a test holds, or fails: x > 60 narrows that of x. Other tests narrow nothing. */
export function narrowedFacts(
  facts: ColumnRange,
  test: Expression,
  outcome: 'holds' | 'fails' = 'holds',
): ColumnRange {
  const bare = test.kind === 'group' ? test.inner : test;
  if (!isComparison(bare)) return facts;
  const [left, right] = [numberOf(bare.left), numberOf(bare.right)];
  const column = bare.left.kind === 'name' ? bare.left.name : undefined;
  const turned = bare.right.kind === 'name' ? bare.right.name : undefined;
  if (column !== undefined && right !== undefined) {
    return within(facts, column, where(bare.operator, right, outcome));
  }
  if (turned !== undefined && left !== undefined) {
    return within(facts, turned, where(mirrored[bare.operator], left, outcome));
  }
  return facts;
}

function within(facts: ColumnRange, column: string, part: Interval): ColumnRange {
  return {
    ...facts,
    intervalOf(name, position) {
      const whole = facts.intervalOf(name, position);
      if (name !== column) return whole;
      // A test that never holds leaves nothing; what it guards has no rows, and any bound will do.
      return meet(whole, part) ?? { low: clamped(part, whole), high: clamped(part, whole) };
    },
  };
}

function clamped(part: Interval, whole: Interval): number {
  return whole.high < part.low ? part.low : part.high;
}

const mirrored: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};

const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
};

const whole: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

function where(operator: ComparisonOperator, limit: number, outcome: 'holds' | 'fails'): Interval {
  switch (outcome === 'holds' ? operator : opposite[operator]) {
    case '<':
      return { low: whole.low, high: -nextAbove(-limit) };
    case '<=':
      return { low: whole.low, high: limit };
    case '>':
      return { low: nextAbove(limit), high: whole.high };
    case '>=':
      return { low: limit, high: whole.high };
    case '==':
      return { low: limit, high: limit };
    case '!=':
      return whole;
  }
}

/** The next double above a finite one. */
function nextAbove(value: number): number {
  if (!Number.isFinite(value)) return value;
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}
