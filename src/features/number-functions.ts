import {
  type DoubleDouble,
  dd,
  ddDivide,
  ddExp,
  ddExpm1,
  ddLog,
  ddLog1p,
  ddNegate,
  ddSqrt,
} from '../numeric/double-double.ts';
import { numberOf } from '../study/formula-constants.ts';
import type { CallExpression, Expression } from '../study/formula-expression.ts';
import type { NumberFunctionName } from '../study/formula-signatures.ts';
import type { ArithmeticWriter, ElementaryFunction } from './arithmetic-writer.ts';
import { type Evaluator, outside } from './evaluator.ts';
import {
  absoluteInterval,
  expInterval,
  hull,
  type Interval,
  logInterval,
  multiplyIntervals,
  pointInterval,
  shiftedInterval,
  sqrtInterval,
  steppedInterval,
} from './interval.ts';
import { roundAsR } from './round-as-r.ts';

/** What a function needs to bound its value. */
export interface ArgumentIntervals {
  readonly call: CallExpression;
  /** All values of an argument; of those rows only where a test holds, or does not hold, if it is given. */
  of(place: number, test?: Expression, holds?: 'holds' | 'fails'): Interval;
  /** The error for an argument that can leave the function's domain. */
  needs(place: number, rule: string): Error;
}

/** A function of a formula that gives a number, with all that the rest of the code asks of it. */
export interface NumberFunction {
  /** Its value in a row, with the same bits on every engine. */
  compile(call: CallExpression, list: readonly Evaluator[]): Evaluator;
  /** All values it can take; throws where an argument can leave its domain. */
  interval(given: ArgumentIntervals): Interval;
  write<T>(writer: ArithmeticWriter<T>, list: readonly T[], call: CallExpression): T;
  /** Whether it can be large in a few rows and small in the others, as exp() is. */
  readonly selects: boolean;
}

/** A function of any number. */
function smooth(
  value: (x: DoubleDouble) => DoubleDouble,
  bound: (x: Interval) => Interval,
  name: ElementaryFunction,
  selects: boolean,
): NumberFunction {
  return {
    compile:
      (_, [x]) =>
      (cursor) =>
        value(x!(cursor)),
    interval: ({ of }) => bound(of(0)),
    write: (writer, [x]) => writer.call(name, x!),
    selects,
  };
}

/** A function whose argument must be in a domain. */
function bounded(
  value: (x: DoubleDouble) => DoubleDouble,
  bound: (x: Interval) => Interval | undefined,
  name: ElementaryFunction,
  domain: { readonly rule: string; has(x: DoubleDouble): boolean },
): NumberFunction {
  return {
    compile:
      (call, [x]) =>
      (cursor) => {
        const inner = x!(cursor);
        if (!domain.has(inner)) throw outside(call, call.arguments[0]!, domain.rule, cursor);
        return value(inner);
      },
    interval({ of, needs }) {
      const found = bound(of(0));
      if (found === undefined) throw needs(0, domain.rule);
      return found;
    },
    write: (writer, [x]) => writer.call(name, x!),
    selects: false,
  };
}

const positive = { rule: 'above 0', has: ({ hi }: DoubleDouble) => hi > 0 };
const notNegative = { rule: 'at least 0', has: ({ hi }: DoubleDouble) => hi >= 0 };
const aboveMinusOne = { rule: 'above -1', has: ({ hi }: DoubleDouble) => hi > -1 };

function logTo(base: 2 | 10): NumberFunction {
  const whole = ddLog(dd(base));
  const scale = pointInterval(1 / (base === 2 ? Math.LN2 : Math.LN10));
  const bound = (x: Interval) => {
    const log = logInterval(x);
    return log && multiplyIntervals(log, scale);
  };
  return bounded((x) => ddDivide(ddLog(x), whole), bound, `log${base}`, positive);
}

/** A step function of the value as a double, as in R. */
function stepped(value: (x: number) => number, write: NumberFunction['write']): NumberFunction {
  return {
    compile:
      (_, [x]) =>
      (cursor) =>
        dd(value(x!(cursor).hi)),
    interval: ({ of }) => steppedInterval(of(0), value),
    write,
    selects: true,
  };
}

function limit(
  choice: (a: DoubleDouble, b: DoubleDouble) => DoubleDouble,
  bound: (...values: number[]) => number,
  operation: 'least' | 'greatest',
): NumberFunction {
  return {
    compile: (_, list) => (cursor) => list.map((one) => one(cursor)).reduce(choice),
    interval: ({ call, of }) =>
      call.arguments
        .map((_, place) => of(place))
        .reduce((a, b) => ({ low: bound(a.low, b.low), high: bound(a.high, b.high) })),
    write: (writer, list) => list.reduce((a, b) => writer[operation](a, b)),
    selects: true,
  };
}

/** The smaller of two, by all their digits. */
function ddLeast(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  return a.hi < b.hi || (a.hi === b.hi && a.lo <= b.lo) ? a : b;
}

function ddGreatest(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  return a.hi > b.hi || (a.hi === b.hi && a.lo >= b.lo) ? a : b;
}

function decimalsOf({ arguments: [, digits] }: CallExpression): number {
  return Math.trunc((digits && numberOf(digits)) ?? 0);
}

/** A value as it is. */
const unchanged: NumberFunction = {
  ...smooth(
    (x) => x,
    (x) => x,
    'abs',
    false,
  ),
  write: (_, [x]) => x!,
};

/** The functions that give a number; those that `lowered` writes in other words are not asked. */
export const numberFunctions: Readonly<Record<NumberFunctionName, NumberFunction>> = {
  I: unchanged,
  exp: smooth(ddExp, expInterval, 'exp', true),
  expm1: smooth(ddExpm1, (x) => shiftedInterval(expInterval(x), -1), 'expm1', true),
  abs: smooth((x) => (x.hi < 0 ? ddNegate(x) : x), absoluteInterval, 'abs', true),
  sqrt: bounded(ddSqrt, sqrtInterval, 'sqrt', notNegative),
  log: bounded(ddLog, logInterval, 'log', positive),
  log2: logTo(2),
  log10: logTo(10),
  log1p: bounded(ddLog1p, (x) => logInterval(shiftedInterval(x, 1)), 'log1p', aboveMinusOne),
  floor: stepped(Math.floor, (writer, [x]) => writer.call('floor', x!)),
  ceiling: stepped(Math.ceil, (writer, [x]) => writer.call('ceiling', x!)),
  trunc: stepped(Math.trunc, writeTrunc),
  'as.integer': stepped(Math.trunc, writeTrunc),
  'as.numeric': unchanged,
  round: {
    compile(call, [x]) {
      const decimals = decimalsOf(call);
      return (cursor) => dd(roundAsR(x!(cursor).hi, decimals));
    },
    interval({ call, of }) {
      const decimals = decimalsOf(call);
      return steppedInterval(of(0), (value) => roundAsR(value, decimals));
    },
    write: (writer, [x], call) => writer.round(x!, decimalsOf(call)),
    selects: true,
  },
  pmin: limit(ddLeast, Math.min, 'least'),
  pmax: limit(ddGreatest, Math.max, 'greatest'),
  ifelse: {
    compile:
      (_, [test, yes, no]) =>
      (cursor) =>
        test!(cursor).hi === 0 ? no!(cursor) : yes!(cursor),
    interval({ call, of }) {
      of(0);
      const [test] = call.arguments;
      return hull(of(1, test, 'holds'), of(2, test, 'fails'));
    },
    write: (writer, [test, yes, no]) => writer.choose(test!, yes!, no!),
    selects: true,
  },
};

function writeTrunc<T>(writer: ArithmeticWriter<T>, [x]: readonly T[]): T {
  const below = writer.compare('<', x!, writer.number(0));
  return writer.choose(below, writer.call('ceiling', x!), writer.call('floor', x!));
}

/** The function of a call that gives a number. */
export function numberFunction({ function: name }: CallExpression): NumberFunction {
  if (!Object.hasOwn(numberFunctions, name)) throw new RangeError(`${name}() gives no number`);
  return numberFunctions[name as keyof typeof numberFunctions];
}
