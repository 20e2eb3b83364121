import type { CallExpression } from './formula-expression.ts';

/** What a function of a formula gives: a number, several columns, a category, or a part of the prediction without a coefficient. */
export type FunctionResult = 'number' | 'columns' | 'category' | 'offset';

/** What an argument may be; all but the first three are public constants. */
export type ArgumentKind =
  /** Arithmetic on number columns. */
  | 'number'
  /** A comparison, or arithmetic that is 0 where it does not hold. */
  | 'condition'
  /** A category column, or a function that gives a category. */
  | 'category'
  | 'constant'
  /** Several numbers: c(1, 2), seq(0, 100, by = 25), 0:4. */
  | 'constants'
  /** Several texts or numbers. */
  | 'values'
  | 'flag'
  /** A name that is no column, such as contr.sum. */
  | 'word';

export interface Parameter {
  readonly name: string;
  readonly kind: ArgumentKind;
  readonly isRequired?: true;
}

/** How a function is called, in R's order of its arguments. */
export interface Signature {
  readonly gives: FunctionResult;
  /** The kind of the arguments that R writes as "...": any number of them, at least one; they come first. */
  readonly many?: ArgumentKind;
  readonly parameters: readonly Parameter[];
  /** A call that works. */
  readonly example: string;
  /** Why a call with these arguments does not work, though others do; undefined if it does. */
  refuse?(call: CallExpression): readonly [problem: string, remedy: string] | undefined;
  /** Whether it tells rows apart by a limit, as a comparison does. */
  readonly compares?: true;
}

/**
 * The parameter of every argument, as R matches them: by the whole name, then by its start, then by place; undefined for one
 * that has none. Arguments behind "..." have the name "...".
 */
export function argumentPlaces(
  { many, parameters }: Signature,
  { arguments: list, names = [] }: CallExpression,
): readonly (Parameter | undefined)[] {
  const named = list.map((_, k) => parameterNamed(names[k], parameters, many !== undefined));
  const free = parameters.filter((parameter) => !named.includes(parameter));
  let next = 0;
  return list.map((_, k) => {
    if (names[k] !== undefined) return named[k];
    return many === undefined ? free[next++] : { name: '...', kind: many };
  });
}

/** What comes behind "..." must be named in full. */
function parameterNamed(
  name: string | undefined,
  parameters: readonly Parameter[],
  inFull: boolean,
): Parameter | undefined {
  if (name === undefined) return undefined;
  const whole = parameters.find((parameter) => parameter.name === name);
  const started = parameters.filter((parameter) => parameter.name.startsWith(name));
  return whole ?? (!inFull && started.length === 1 ? started[0] : undefined);
}
