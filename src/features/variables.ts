import { defined } from '../defined.ts';
import type { Codebook, Column, NumberColumn } from '../study/codebook.ts';
import { type Formula, FormulaError } from '../study/formula.ts';
import { callArguments } from '../study/formula-arguments.ts';
import {
  type CallExpression,
  deparse,
  type Expression,
  expressionColumns,
  isLogical,
  type LevelTest,
} from '../study/formula-expression.ts';
import { lowered } from '../study/formula-lower.ts';
import { givesOf } from '../study/formula-signatures.ts';
import type { Variable } from '../study/formula-terms.ts';
import { compileArithmetic } from './arithmetic.ts';
import { arithmeticInterval, type Refuse } from './arithmetic-interval.ts';
import type { AnyCategory, BoundVariable, CategoryVariable } from './bound-variable.ts';
import { categoryFunctions } from './category-functions.ts';
import { columnFunctions } from './column-functions.ts';
import type { ColumnRange } from './column-range.ts';
import type { Evaluator } from './evaluator.ts';
import type { Interval } from './interval.ts';
import type { PublicGuess } from './public-unit.ts';
import { columnInterval, isFramable, statedReference } from './reference.ts';

/** Interprets a variable by the codebook; `places` gives the position of each column in a block. */
export function bindVariable(
  variable: Variable,
  formula: Formula,
  codebook: Codebook,
  places: ReadonlyMap<string, number>,
): BoundVariable {
  const refuse: Refuse = (position, problem, remedy) =>
    new FormulaError(problem, formula.text, position, remedy);
  const { label } = variable;
  const expression = bare(variable.expression);
  const { position } = expression;
  const facts = columnFacts(codebook, refuse);
  const compile = (inner: Expression): Evaluator =>
    compileArithmetic(inner, {
      indexOf: (column) => places.get(column)!,
      codeOf: (column, level) => levelCode(codebook[column]!, level),
    });
  const framed = (inner: Expression, name: string): Interval => {
    const interval = arithmeticInterval(inner, facts, refuse);
    if (isFramable(interval)) return interval;
    const remedy = `narrow the range of ${expressionColumns(inner).join(', ')} in the codebook`;
    throw refuse(position, `${name} can become too large to hold`, remedy);
  };
  const category = (inner: Expression, listed?: readonly (string | number)[]): AnyCategory => {
    if (inner.kind === 'name') return bindCategory(inner, codebook, places, refuse, listed);
    return categoryOf(inner as CallExpression);
  };
  const categoryOf = (call: CallExpression): AnyCategory =>
    categoryFunctions[call.function as keyof typeof categoryFunctions].make(callArguments(call), {
      label: deparse(call),
      refuse: (problem, remedy) => refuse(call.position, problem, remedy),
      category,
      number: (inner) => ({ expression: lowered(inner), interval: framed(lowered(inner), label) }),
      compile,
    });

  if (isCategoryName(expression, codebook)) return category(expression);
  if (expression.kind === 'call' && givesOf(expression) === 'category') {
    return categoryOf(expression);
  }
  if (expression.kind === 'call' && givesOf(expression) === 'columns') {
    const given = callArguments(expression);
    const x = lowered(given.need('x'));
    const { make, text } = columnFunctions[expression.function as keyof typeof columnFunctions];
    const made = make(given, {
      name: expression.function,
      position,
      x,
      interval: framed(x, deparse(x)),
      refuse: (problem, remedy) => refuse(position, problem, remedy),
    });
    return {
      kind: 'columns',
      label,
      suffixes: made.map(({ suffix }) => suffix),
      parts: made.map((one) => ({
        kind: 'computed',
        label: label + one.suffix,
        expression: one.expression,
        evaluate: compile(one.expression),
        interval: framed(one.expression, label + one.suffix),
      })),
      ...defined({ text }),
    };
  }
  const interval = framed(expression, label);
  if (expression.kind === 'name') {
    const column = codebook[expression.name]!;
    const number = column.type === 'number' ? column : undefined;
    return {
      kind: 'number',
      column: places.get(expression.name)!,
      expression,
      interval,
      stated: number && statedReference(number),
      guess: guessOf(number),
    };
  }
  const evaluate = compile(expression);
  if (isLogical(variable.written)) {
    const levels = { levels: ['FALSE', 'TRUE'], codes: [0, 1] };
    return { kind: 'coded', isLogical: true, label, expression, evaluate, checks: [], ...levels };
  }
  return { kind: 'computed', label, expression, evaluate, interval };
}

/** All values of arithmetic by the codebook; throws where it has none. */
export function numberRange(
  expression: Expression,
  formula: Formula,
  codebook: Codebook,
): Interval {
  const refuse: Refuse = (position, problem, remedy) =>
    new FormulaError(problem, formula.text, position, remedy);
  return arithmeticInterval(expression, columnFacts(codebook, refuse), refuse);
}

function columnFacts(codebook: Codebook, refuse: Refuse): ColumnRange {
  return {
    intervalOf: (column, at) => numberInterval(column, at, codebook, refuse),
    checkLevel: (test, at) => checkLevel(test, at, codebook, refuse),
  };
}

/** I(x) and (x) are x. */
export function bare(expression: Expression): Expression {
  if (expression.kind === 'group') return bare(expression.inner);
  if (expression.kind !== 'call' || expression.function !== 'I') return expression;
  return bare(expression.arguments[0]!);
}

function isCategoryName(expression: Expression, codebook: Codebook): boolean {
  return expression.kind === 'name' && codebook[expression.name]!.type === 'category';
}

/** A column as a category; `listed` are levels that the formula lists, which a number column then has. */
function bindCategory(
  { name, position }: Expression & { kind: 'name' },
  codebook: Codebook,
  places: ReadonlyMap<string, number>,
  refuse: Refuse,
  listed?: readonly (string | number)[],
): CategoryVariable {
  const column = codebook[name]!;
  const own = column.type === 'number' ? listed?.map(listedLevel) : undefined;
  const levels = own ?? column.levels ?? [];
  const codes = column.type === 'category' ? [...levels.keys()] : levels.map(Number);
  if (column.type === 'number') {
    if (levels.length === 0) {
      const remedy = `list them: factor(${deparse({ kind: 'name', name, position })}, levels = c(1, 2)), or in the codebook: "${name}": { …, "levels": ["1", "2"] }`;
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
    written: order.map((index) => levels[index]!),
    codes: order.map((index) => codes[index]!),
    checked: column.type === 'category',
  };
}

function listedLevel(value: string | number): string {
  return typeof value === 'string' ? value : deparse({ kind: 'number', value, position: 0 });
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
