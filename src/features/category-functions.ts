import type { CallArguments } from '../study/formula-arguments.ts';
import { flagOf, listedValues, numbersOf } from '../study/formula-constants.ts';
import { deparse, type Expression } from '../study/formula-expression.ts';
import type { CategoryFunctionName } from '../study/formula-signatures.ts';
import { type AnyCategory, type CodedVariable, uncheckedIn } from './bound-variable.ts';
import {
  comparisonExpression,
  indexExpression,
  numberExpression,
  productExpression,
  sumExpression,
} from './category-expression.ts';
import { contrasts, MOST_CONTRASTED_LEVELS, MOST_POLYNOMIAL_LEVELS } from './contrasts.ts';
import { cutLabels } from './cut-labels.ts';
import type { Evaluator } from './evaluator.ts';
import type { Interval } from './interval.ts';

export interface CategoryContext {
  readonly label: string;
  refuse(problem: string, remedy: string): Error;
  /** A category inside this one; `levels` are those of a number column that this function lists. */
  category(expression: Expression, levels?: readonly (string | number)[]): AnyCategory;
  /** A number inside this category, in fewer words, and all its values. */
  number(expression: Expression): { readonly expression: Expression; readonly interval: Interval };
  compile(expression: Expression): Evaluator;
}

/** A function of a formula that gives a category. */
export interface CategoryFunction {
  make(given: CallArguments, context: CategoryContext): AnyCategory;
}

/** Most levels of interaction(): as many columns as a model may have. */
const MOST_LEVELS = 12_000;

const asFactor: CategoryFunction = {
  make: (given, context) => context.category(given.need('x')),
};

export const categoryFunctions: Readonly<Record<CategoryFunctionName, CategoryFunction>> = {
  factor: { make: factor },
  'as.factor': asFactor,
  relevel: { make: relevel },
  interaction: { make: interaction },
  cut: { make: cut },
  C: { make: contrasted },
  ordered: {
    make: (given, context) => withContrasts(factor(given, context), 'contr.poly', 1, context),
  },
};

function factor(given: CallArguments, context: CategoryContext): AnyCategory {
  const [levels, labels] = ['levels', 'labels'].map((name) => {
    const found = given.find(name);
    return found && listedValues(found);
  });
  const category = context.category(given.need('x'), levels);
  const ordered =
    levels === undefined ? category : inOrder(category, levels.map(levelText), context);
  return labels === undefined ? ordered : renamed(ordered, labels.map(levelText), context);
}

/** A level as R writes it. */
function levelText(value: string | number): string {
  return typeof value === 'string' ? value : deparse(numberExpression(value));
}

function inOrder(
  category: AnyCategory,
  wanted: readonly string[],
  context: CategoryContext,
): AnyCategory {
  const places = wanted.map((level) => category.levels.indexOf(level));
  const unknown = wanted.find((_, k) => places[k]! < 0);
  if (unknown !== undefined) {
    const problem = `"${unknown}" is not a level of ${context.label}`;
    throw context.refuse(problem, `the levels are ${category.levels.join(', ')}`);
  }
  if (new Set(places).size < places.length) {
    throw context.refuse('a level is listed twice', 'list each level once');
  }
  const left = category.levels.filter((_, k) => !places.includes(k));
  if (left.length > 0) {
    throw context.refuse(
      `the levels leave out ${left.join(', ')}: R would drop such rows without a word`,
      'list all levels; rows can be left out by a missing marker in the codebook',
    );
  }
  return reordered(category, places);
}

function reordered(category: AnyCategory, places: readonly number[]): AnyCategory {
  const { contrasts: _, ...plain } = category;
  const over = <T>(values: readonly T[]) => places.map((place) => values[place]!);
  const order = { levels: over(plain.levels), codes: over(plain.codes) };
  return plain.kind === 'category'
    ? { ...plain, ...order, written: over(plain.written) }
    : { ...plain, ...order };
}

function renamed(
  category: AnyCategory,
  labels: readonly string[],
  { refuse }: CategoryContext,
): AnyCategory {
  const { levels } = category;
  if (labels.length !== levels.length || new Set(labels).size !== labels.length) {
    const problem = `the ${levels.length} levels need as many different labels; there are ${labels.length}`;
    throw refuse(problem, `one for each of ${levels.join(', ')}`);
  }
  return { ...category, levels: labels };
}

function relevel(given: CallArguments, context: CategoryContext): AnyCategory {
  const category = context.category(given.need('x'));
  const [ref] = listedValues(given.need('ref'))!;
  // R takes a number as the place of the level.
  const first = typeof ref === 'number' ? ref - 1 : category.levels.indexOf(ref!);
  if (category.levels[first] === undefined) {
    const problem = `ref = ${typeof ref === 'number' ? ref : `"${ref}"`} is not a level`;
    throw context.refuse(problem, `the levels are ${category.levels.join(', ')}`);
  }
  const others = [...category.levels.keys()].filter((place) => place !== first);
  return reordered(category, [first, ...others]);
}

function contrasted(given: CallArguments, context: CategoryContext): AnyCategory {
  const contr = given.need('contr');
  const name = contr.kind === 'word' ? contr.word : contr.kind === 'text' ? contr.text : '';
  return withContrasts(
    context.category(given.need('object')),
    name,
    given.number('base', 1),
    context,
  );
}

function withContrasts(
  category: AnyCategory,
  name: string,
  base: number,
  { refuse }: CategoryContext,
): AnyCategory {
  const { levels } = category;
  if (!Object.hasOwn(contrasts, name)) {
    const known = 'contr.sum, contr.helmert, contr.treatment, contr.SAS and contr.poly';
    throw refuse(`the contrasts "${name}" are unknown`, `known are ${known}`);
  }
  if (!Number.isInteger(base) || base < 1 || base > levels.length) {
    throw refuse(
      `base = ${base} is not the number of a level`,
      `give a number from 1 to ${levels.length}`,
    );
  }
  if (levels.length > MOST_CONTRASTED_LEVELS) {
    const problem = `contrasts of ${levels.length} levels are too many numbers; at most ${MOST_CONTRASTED_LEVELS} levels are possible`;
    throw refuse(problem, 'leave C() out: treatment contrasts take any number of levels');
  }
  if (name.endsWith('poly') && levels.length > MOST_POLYNOMIAL_LEVELS) {
    const problem = `polynomial contrasts of ${levels.length} levels lose all digits`;
    throw refuse(problem, 'take the level as a number, with poly(x, 3, raw = TRUE)');
  }
  return { ...category, contrasts: contrasts[name]!(levels, base) };
}

function interaction(given: CallArguments, context: CategoryContext): CodedVariable {
  const categories = given.many.map((one) => context.category(one));
  const sep = given.find('sep');
  const between = sep === undefined ? '.' : String(listedValues(sep)![0]);
  const lexical = given.find('lex.order');
  const isLexical = lexical !== undefined && flagOf(lexical) === true;
  const count = categories.reduce((product, { levels }) => product * levels.length, 1);
  if (count > MOST_LEVELS) {
    const problem = `${context.label} has ${count} levels; at most ${MOST_LEVELS} are possible`;
    throw context.refuse(problem, 'add the columns as terms, or merge rare levels in the codebook');
  }
  // The first category's levels vary fastest, or with lex.order the last one's.
  const fastest = isLexical ? categories.toReversed() : categories;
  const strides = fastest.map((_, k) =>
    fastest.slice(0, k).reduce((product, { levels }) => product * levels.length, 1),
  );
  const levels = Array.from({ length: count }, (_, index) => {
    const parts = fastest.map(
      ({ levels: own }, k) => own[Math.floor(index / strides[k]!) % own.length]!,
    );
    return (isLexical ? parts.toReversed() : parts).join(between);
  });
  const expression = sumExpression(
    fastest.map((category, k) =>
      strides[k] === 1
        ? indexExpression(category)
        : productExpression(numberExpression(strides[k]!), indexExpression(category)),
    ),
  );
  const guards = categories.flatMap((one) => (one.kind === 'category' ? [] : (one.guard ?? [])));
  const guard = guards
    .map((one) => one.expression)
    .reduce<Expression | undefined>(
      (left, right) => (left === undefined ? right : productExpression(left, right)),
      undefined,
    );
  return {
    ...coded(context, expression, levels),
    checks: categories.flatMap(uncheckedIn),
    ...(guard && { guard: { expression: guard, evaluate: context.compile(guard) } }),
  };
}

function cut(given: CallArguments, context: CategoryContext): AnyCategory {
  const { refuse } = context;
  const flag = (name: string, otherwise: boolean) => {
    const found = given.find(name);
    return found === undefined ? otherwise : flagOf(found)!;
  };
  const [right, lowest] = [flag('right', true), flag('include.lowest', false)];
  const breaks = [...numbersOf(given.need('breaks'))!].sort((a, b) => a - b);
  if (breaks.length < 3) {
    throw refuse(
      breaks.length === 1
        ? 'cut() into a number of intervals needs all rows, for their range'
        : 'cut() needs three breaks or more, or it has one interval',
      'list the breaks: cut(x, c(0, 40, 60, 100))',
    );
  }
  if (new Set(breaks).size < breaks.length) {
    throw refuse('a break is listed twice', 'list each break once');
  }
  const { expression: x, interval } = context.number(given.need('x'));
  const [first, last] = [breaks[0]!, breaks.at(-1)!];
  refuseUncovered(interval, first, last, right, lowest, context);
  const operator = right ? '>' : '>=';
  const steps = breaks.slice(1, -1).map((limit) => comparisonExpression(x, operator, limit));
  const names = cutLabels(breaks, right, lowest, given.number('dig.lab', 3));
  const variable = coded(context, sumExpression(steps), names);
  const guard = insideBreaks(x, first, last, right, lowest);
  const guarded: CodedVariable = {
    ...variable,
    ...(guard && { guard: { expression: guard, evaluate: context.compile(guard) } }),
  };
  const labels = given.find('labels');
  if (labels === undefined) return guarded;
  return renamed(guarded, listedValues(labels)!.map(levelText), context);
}

/** Refuses breaks that leave values of the codebook's range without a level; R drops such rows without a word. */
function refuseUncovered(
  { low, high }: Interval,
  first: number,
  last: number,
  right: boolean,
  lowest: boolean,
  { refuse }: CategoryContext,
): void {
  // An interval that was computed is a little wider than its values; a row beyond the breaks is refused anyway.
  const slack = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  const isBeyond = low < first - slack || high > last + slack;
  const below = low < first - slack || (low <= first + slack && right && !lowest);
  const above = high > last + slack || (high >= last - slack && !right && !lowest);
  if (!below && !above) return;
  const isEdge = !isBeyond;
  throw refuse(
    `the breaks leave out values ${below ? `${isEdge ? 'at' : 'at or below'} ${first}` : `${isEdge ? 'at' : 'at or above'} ${last}`}, which the codebook allows: it says ${low} to ${high}`,
    isEdge
      ? 'write include.lowest = TRUE'
      : 'begin the breaks with -Inf and end them with Inf, or narrow the range in the codebook',
  );
}

/** 1 where a value is between the first and the last break; undefined if every value is. */
function insideBreaks(
  x: Expression,
  first: number,
  last: number,
  right: boolean,
  lowest: boolean,
): Expression | undefined {
  const parts = [
    ...(Number.isFinite(first)
      ? [comparisonExpression(x, right && !lowest ? '>' : '>=', first)]
      : []),
    ...(Number.isFinite(last) ? [comparisonExpression(x, right || lowest ? '<=' : '<', last)] : []),
  ];
  return parts.length === 0 ? undefined : parts.reduce(productExpression);
}

function coded(
  { label, compile }: CategoryContext,
  expression: Expression,
  levels: readonly string[],
): CodedVariable {
  return {
    kind: 'coded',
    label,
    expression,
    evaluate: compile(expression),
    levels,
    codes: [...levels.keys()],
    checks: [],
  };
}
