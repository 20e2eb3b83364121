import type { ComparisonOperator } from '../study/formula-expression.ts';

/** Functions of one number that every language has. */
export type ElementaryFunction =
  | 'abs'
  | 'ceiling'
  | 'exp'
  | 'expm1'
  | 'floor'
  | 'log'
  | 'log10'
  | 'log1p'
  | 'log2'
  | 'sqrt';

/** How another language writes arithmetic; each text has its own brackets. */
export interface ArithmeticWriter<T> {
  number(value: number): T;
  /** A number column. */
  column(name: string): T;
  negative(operand: T): T;
  operate(operator: '+' | '-' | '*' | '/', left: T, right: T): T;
  power(base: T, exponent: number): T;
  call(name: ElementaryFunction, argument: T): T;
  /** 1 or 0. */
  compare(operator: ComparisonOperator, left: T, right: T): T;
  /** 1 where the category is at the level, else 0. */
  atLevel(column: string, level: string): T;
  /** `yes` where the test is not 0, else `no`. */
  choose(test: T, yes: T, no: T): T;
  least(left: T, right: T): T;
  greatest(left: T, right: T): T;
  /** Rounded to a number of decimals; halves to the even digit. */
  round(argument: T, decimals: number): T;
}
