import { defined } from '../defined.ts';
import type { Codebook, Column, NumberColumn } from '../study/codebook.ts';
import { type Formula, FormulaError } from '../study/formula.ts';
import {
  type Expression,
  expressionColumns,
  isComparison,
  type LevelTest,
} from '../study/formula-expression.ts';
import type { Variable } from '../study/formula-terms.ts';
import { compileArithmetic, type Evaluator } from './arithmetic.ts';
import { arithmeticInterval, type ColumnRange, type Refuse } from './arithmetic-interval.ts';
import type { Interval } from './interval.ts';
import type { PublicGuess } from './public-unit.ts';
import { columnInterval, isFramable, type Reference, statedReference } from './reference.ts';

/** A variable of a formula, interpreted by the codebook; `column` indexes a block's columns. */
export type BoundVariable =
  | NumberVariable
  | ComputedVariable
  | ComparisonVariable
  | CategoryVariable;

/** A number column without a transformation. */
export interface NumberVariable {
  readonly kind: 'number';
  readonly column: number;
  readonly interval: Interval;
  /** The reference stated in the codebook. */
  readonly stated: Reference | undefined;
  /** Location and spread of its values, as stated in the codebook. */
  readonly guess: PublicGuess;
}

/** Arithmetic on number columns. */
export interface ComputedVariable {
  readonly kind: 'computed';
  readonly label: string;
  readonly evaluate: Evaluator;
  readonly interval: Interval;
}

/** A comparison as a variable: like R's logical, a category of two levels. */
export interface ComparisonVariable {
  readonly kind: 'comparison';
  readonly label: string;
  readonly evaluate: Evaluator;
  readonly levels: readonly ['FALSE', 'TRUE'];
  readonly codes: readonly [0, 1];
}

export interface CategoryVariable {
  readonly kind: 'category';
  readonly column: number;
  /** The name of the column, for messages. */
  readonly source: string;
  /** The baseline first. */
  readonly levels: readonly string[];
  /** The code of each level in a block's column. */
  readonly codes: readonly number[];
  /** Whether the table's reader has already refused all other codes. */
  readonly checked: boolean;
}

/** Interprets a variable by the codebook; `places` gives the position of each column in a block. */
export function bindVariable(
  variable: Variable,
  formula: Formula,
  codebook: Codebook,
  places: ReadonlyMap<string, number>,
): BoundVariable {
  const refuse: Refuse = (position, problem, remedy) =>
    new FormulaError(problem, formula.text, position, remedy);
  const expression = bare(variable.expression);
  const name = categoryName(expression, codebook);
  if (name !== undefined) {
    return bindCategory(name, expression.position, codebook, places, refuse);
  }
  const facts: ColumnRange = {
    intervalOf: (column, position) => numberInterval(column, position, codebook, refuse),
    checkLevel: (test, position) => checkLevel(test, position, codebook, refuse),
  };
  const interval = arithmeticInterval(expression, facts, refuse);
  if (!isFramable(interval)) {
    const remedy = `narrow the range of ${expressionColumns(expression).join(', ')} in the codebook`;
    throw refuse(expression.position, `${variable.label} can become too large to hold`, remedy);
  }
  if (expression.kind === 'name') {
    const column = codebook[expression.name]!;
    const number = column.type === 'number' ? column : undefined;
    return {
      kind: 'number',
      column: places.get(expression.name)!,
      interval,
      stated: number && statedReference(number),
      guess: guessOf(number),
    };
  }
  const evaluate = compileArithmetic(expression, {
    indexOf: (column) => places.get(column)!,
    codeOf: (column, level) => levelCode(codebook[column]!, level),
  });
  if (isComparison(expression)) {
    const { label } = variable;
    return { kind: 'comparison', label, evaluate, levels: ['FALSE', 'TRUE'], codes: [0, 1] };
  }
  return { kind: 'computed', label: variable.label, evaluate, interval };
}

/** I(x) and (x) are x. */
export function bare(expression: Expression): Expression {
  if (expression.kind === 'group') return bare(expression.inner);
  if (expression.kind !== 'call' || expression.function !== 'I') return expression;
  return bare(expression.arguments[0]!);
}

function categoryName(expression: Expression, codebook: Codebook): string | undefined {
  if (expression.kind === 'name') {
    return codebook[expression.name]!.type === 'category' ? expression.name : undefined;
  }
  const isFactor = expression.kind === 'call' && expression.function === 'factor';
  return isFactor ? expressionColumns(expression)[0] : undefined;
}

function bindCategory(
  name: string,
  position: number,
  codebook: Codebook,
  places: ReadonlyMap<string, number>,
  refuse: Refuse,
): CategoryVariable {
  const column = codebook[name]!;
  const levels = column.levels ?? [];
  const codes = column.type === 'category' ? [...levels.keys()] : levels.map(Number);
  if (column.type === 'number') {
    if (levels.length === 0) {
      const remedy = `list them in the codebook: "${name}": { …, "levels": ["1", "2"] }`;
      throw refuse(position, `factor(${name}) needs the levels of "${name}"`, remedy);
    }
    const odd = levels.find((level) => level.trim() === '' || !Number.isFinite(Number(level)));
    if (odd !== undefined) {
      const problem = `level "${odd}" of the number column "${name}" is not a number`;
      throw refuse(position, problem, 'write it as a number, or make the column a category');
    }
  }
  if (new Set(codes).size !== codes.length || new Set(levels).size !== levels.length) {
    throw refuse(position, `"${name}" lists a level twice`, 'remove one from the codebook');
  }
  if (levels.length < 2) {
    const problem = `"${name}" has one level, so it cannot explain anything`;
    throw refuse(position, problem, 'add its other levels to the codebook, or leave it out');
  }
  const baseline = column.type === 'category' ? (column.baseline ?? levels[0]!) : levels[0]!;
  const first = levels.indexOf(baseline);
  if (first < 0) {
    const problem = `baseline "${baseline}" is not a level of "${name}"`;
    throw refuse(position, problem, `choose one of ${levels.join(', ')}`);
  }
  const order = [first, ...codes.keys()].filter((index, place) => place === 0 || index !== first);
  return {
    kind: 'category',
    column: places.get(name)!,
    source: name,
    levels: order.map((index) => levels[index]!),
    codes: order.map((index) => codes[index]!),
    checked: column.type === 'category',
  };
}

/** The code of a level in a block: its index among the levels, or its number. */
export function levelCode(column: Column, level: string): number {
  return column.type === 'category' ? column.levels.indexOf(level) : Number(level);
}

function checkLevel(
  { column: name, level }: LevelTest,
  position: number,
  codebook: Codebook,
  refuse: Refuse,
): void {
  const column = codebook[name]!;
  if (column.levels === undefined) {
    const remedy = 'compare it with a number, without quotes';
    throw refuse(position, `"${name}" is a number, not a text`, remedy);
  }
  if (column.levels.includes(level)) return;
  const problem = `"${level}" is not a level of "${name}"`;
  throw refuse(position, problem, `the levels are ${column.levels.join(', ')}`);
}

function numberInterval(
  name: string,
  position: number,
  codebook: Codebook,
  refuse: Refuse,
): Interval {
  const column = codebook[name]!;
  if (column.type === 'category') {
    throw refuse(
      position,
      `"${name}" is a category; a number is needed here`,
      `use it as a term of its own, or compare it with a level: I(${name} == "${column.levels[0]}")`,
    );
  }
  const interval = column.type === 'number' ? columnInterval(column) : undefined;
  if (interval === undefined) {
    const remedy = `add it to the codebook: "${name}": { …, "range": [low, high] }`;
    throw refuse(position, `"${name}" needs a range`, remedy);
  }
  if (!isFramable(interval)) {
    const problem = `the range of "${name}" is not usable: ${interval.low} to ${interval.high}`;
    throw refuse(position, problem, 'write [low, high] with finite low ≤ high');
  }
  return interval;
}

function guessOf(column: NumberColumn | undefined): PublicGuess {
  const { center, sd } = column ?? {};
  return defined({ center, sd });
}
