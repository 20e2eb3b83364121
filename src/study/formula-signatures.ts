import { flagOf } from './formula-constants.ts';
import { type CallExpression, deparse, type Expression } from './formula-expression.ts';

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

function required(name: string, kind: ArgumentKind): Parameter {
  return { name, kind, isRequired: true };
}

function optional(name: string, kind: ArgumentKind): Parameter {
  return { name, kind };
}

function ofNumber(name: string): Signature {
  return { gives: 'number', parameters: [required('x', 'number')], example: `${name}(x)` };
}

function stepOf(name: string): Signature {
  return { ...ofNumber(name), compares: true };
}

const limit = { gives: 'number', many: 'number', parameters: [], compares: true } as const;

/** The functions that give a number; what each computes is in `src/features/number-functions.ts`. */
export type NumberFunctionName =
  | 'I'
  | 'log'
  | 'log2'
  | 'log10'
  | 'exp'
  | 'sqrt'
  | 'abs'
  | 'log1p'
  | 'expm1'
  | 'round'
  | 'floor'
  | 'ceiling'
  | 'trunc'
  | 'pmin'
  | 'pmax'
  | 'ifelse'
  | 'as.numeric'
  | 'as.integer';

/** The functions that make several columns of a number: `src/features/column-functions.ts`. */
export type ColumnFunctionName = 'poly' | 'ns' | 'bs';

/** The functions that give a category: `src/features/category-functions.ts`. */
export type CategoryFunctionName =
  | 'factor'
  | 'as.factor'
  | 'ordered'
  | 'relevel'
  | 'interaction'
  | 'cut'
  | 'C';

/** A function that a formula can call. */
export type FunctionName =
  | NumberFunctionName
  | ColumnFunctionName
  | CategoryFunctionName
  | 'offset';

/** The functions of a formula, by R's names. */
export const signatures: Readonly<Record<FunctionName, Signature>> = {
  I: ofNumber('I'),
  log: {
    gives: 'number',
    parameters: [required('x', 'number'), optional('base', 'constant')],
    example: 'log(x)',
  },
  log2: ofNumber('log2'),
  log10: ofNumber('log10'),
  exp: ofNumber('exp'),
  sqrt: ofNumber('sqrt'),
  abs: ofNumber('abs'),
  log1p: ofNumber('log1p'),
  expm1: ofNumber('expm1'),
  floor: stepOf('floor'),
  ceiling: stepOf('ceiling'),
  trunc: stepOf('trunc'),
  'as.numeric': ofNumber('as.numeric'),
  'as.integer': stepOf('as.integer'),
  round: {
    gives: 'number',
    parameters: [required('x', 'number'), optional('digits', 'constant')],
    example: 'round(x, 1)',
    compares: true,
  },
  pmin: { ...limit, example: 'pmin(x, 10)' },
  pmax: { ...limit, example: 'pmax(x, 10)' },
  ifelse: {
    gives: 'number',
    parameters: [
      required('test', 'condition'),
      required('yes', 'number'),
      required('no', 'number'),
    ],
    example: 'ifelse(x > 60, x - 60, 0)',
    compares: true,
  },
  poly: {
    gives: 'columns',
    parameters: [
      required('x', 'number'),
      optional('degree', 'constant'),
      optional('raw', 'flag'),
      optional('simple', 'flag'),
    ],
    example: 'poly(x, 3, raw = TRUE)',
    refuse: refusePoly,
  },
  ns: {
    gives: 'columns',
    parameters: [
      required('x', 'number'),
      optional('df', 'constant'),
      optional('knots', 'constants'),
      optional('intercept', 'flag'),
      optional('Boundary.knots', 'constants'),
    ],
    example: 'ns(x, knots = c(40, 60), Boundary.knots = c(20, 80))',
    compares: true,
  },
  bs: {
    gives: 'columns',
    parameters: [
      required('x', 'number'),
      optional('df', 'constant'),
      optional('knots', 'constants'),
      optional('degree', 'constant'),
      optional('intercept', 'flag'),
      optional('Boundary.knots', 'constants'),
    ],
    example: 'bs(x, knots = c(40, 60), Boundary.knots = c(20, 80))',
    compares: true,
  },
  cut: {
    gives: 'category',
    parameters: [
      required('x', 'number'),
      required('breaks', 'constants'),
      optional('labels', 'values'),
      optional('include.lowest', 'flag'),
      optional('right', 'flag'),
      optional('dig.lab', 'constant'),
    ],
    example: 'cut(x, c(0, 40, 60, 100))',
    compares: true,
  },
  factor: {
    gives: 'category',
    parameters: [
      required('x', 'category'),
      optional('levels', 'values'),
      optional('labels', 'values'),
    ],
    example: 'factor(x)',
  },
  ordered: {
    gives: 'category',
    parameters: [
      required('x', 'category'),
      optional('levels', 'values'),
      optional('labels', 'values'),
    ],
    example: 'ordered(x, levels = c("low", "mid", "high"))',
  },
  'as.factor': {
    gives: 'category',
    parameters: [required('x', 'category')],
    example: 'as.factor(x)',
  },
  relevel: {
    gives: 'category',
    parameters: [required('x', 'category'), required('ref', 'values')],
    example: 'relevel(x, ref = "b")',
  },
  interaction: {
    gives: 'category',
    many: 'category',
    parameters: [optional('sep', 'values'), optional('lex.order', 'flag')],
    example: 'interaction(a, b)',
  },
  C: {
    gives: 'category',
    parameters: [
      required('object', 'category'),
      required('contr', 'word'),
      optional('base', 'constant'),
    ],
    example: 'C(x, contr.sum)',
  },
  offset: {
    gives: 'offset',
    parameters: [required('object', 'number')],
    example: 'offset(log(t))',
  },
};

/** Only raw polynomials are the same at every site. */
function refusePoly(call: CallExpression): readonly [string, string] | undefined {
  const [x, degree, raw] = ['x', 'degree', 'raw'].map((name) => {
    const places = argumentPlaces(signatures.poly, call);
    return call.arguments.find((_, k) => places[k]?.name === name);
  });
  if (raw !== undefined && flagOf(raw) === true) return undefined;
  const written = `poly(${deparse(x!)}, ${degree === undefined ? 1 : deparse(degree)}, raw = TRUE)`;
  return [
    'poly() is not additive over sites: its orthogonal columns need all rows',
    `write ${written}: the fitted model is the same`,
  ];
}

export function signatureOf(name: string): Signature | undefined {
  return Object.hasOwn(signatures, name) ? signatures[name as FunctionName] : undefined;
}

/** The names of all functions. */
export const functionNames: readonly string[] = Object.keys(signatures);

/** What a call gives; undefined if no such function is known. */
export function givesOf(expression: Expression): FunctionResult | undefined {
  return expression.kind === 'call' ? signatureOf(expression.function)?.gives : undefined;
}

/** The call with T, F and names of contrasts as words, where its function takes such a word: they are no columns. */
export function withWords(call: CallExpression): CallExpression {
  const signature = signatureOf(call.function);
  if (signature === undefined) return call;
  const places = argumentPlaces(signature, call);
  return {
    ...call,
    arguments: call.arguments.map((argument, k) => {
      const kind = places[k]?.kind;
      if (argument.kind !== 'name' || (kind !== 'flag' && kind !== 'word')) return argument;
      return { kind: 'word', word: argument.name, position: argument.position };
    }),
  };
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
