import { constantValue } from '../features/arithmetic.ts';
import type { Codebook } from '../study/codebook.ts';
import type { Expression } from '../study/formula.ts';
import {
  type ComparisonOperator,
  deparse,
  isComparison,
  levelTest,
} from '../study/formula-expression.ts';
import type { PlannedColumn } from './prediction-plan.ts';

/** The formula's functions of one number. */
export type FunctionName = 'abs' | 'exp' | 'log' | 'log10' | 'log2' | 'sqrt';

/** How another language writes arithmetic; each text has its own brackets. */
export interface ArithmeticWriter {
  number(value: number): string;
  /** A number column. */
  column(name: string): string;
  negative(operand: string): string;
  operate(operator: '+' | '-' | '*' | '/', left: string, right: string): string;
  power(base: string, exponent: number): string;
  call(name: FunctionName, argument: string): string;
  /** 1 or 0. */
  compare(operator: ComparisonOperator, left: string, right: string): string;
  /** 1 where the category is at the level, else 0. */
  atLevel(column: string, level: string): string;
}

/** Writes an expression of a formula in another language. */
export function writeArithmetic(
  expression: Expression,
  codebook: Codebook,
  writer: ArithmeticWriter,
): string {
  const write = (inner: Expression): string => writeArithmetic(inner, codebook, writer);
  switch (expression.kind) {
    case 'number':
      return writer.number(expression.value);
    case 'name':
      return writer.column(expression.name);
    case 'group':
      return write(expression.inner);
    case 'sign': {
      const operand = write(expression.operand);
      return expression.operator === '-' ? writer.negative(operand) : operand;
    }
    case 'call': {
      const argument = write(expression.arguments[0]!);
      if (expression.function === 'I') return argument;
      return writer.call(expression.function as FunctionName, argument);
    }
    case 'binary': {
      if (isComparison(expression)) {
        const test = levelTest(expression);
        if (test === undefined) {
          return writer.compare(
            expression.operator,
            write(expression.left),
            write(expression.right),
          );
        }
        const { column, level, equal } = test;
        const at =
          codebook[column]!.type === 'category'
            ? writer.atLevel(column, level)
            : writer.compare('==', writer.column(column), writer.number(Number(level)));
        return equal ? at : writer.operate('-', writer.number(1), at);
      }
      const left = write(expression.left);
      if (expression.operator === '^') return writer.power(left, constantValue(expression.right));
      const operator = expression.operator as '+' | '-' | '*' | '/';
      return writer.operate(operator, left, write(expression.right));
    }
    default:
      throw new RangeError(`${deparse(expression)} is not arithmetic`);
  }
}

/** Writes a column of the model matrix in another language: the product of its numbers and indicators. */
export function writeColumn(
  { numbers, indicators }: PlannedColumn,
  codebook: Codebook,
  writer: ArithmeticWriter,
): string {
  const factors = [
    ...numbers.map((expression) => writeArithmetic(expression, codebook, writer)),
    ...indicators.map((indicator) => {
      if ('category' in indicator) {
        const { category, level } = indicator;
        return category.codes === undefined
          ? writer.atLevel(category.column, category.levels[level]!)
          : writer.compare(
              '==',
              writer.column(category.column),
              writer.number(category.codes[level]!),
            );
      }
      const holds = writeArithmetic(indicator.comparison, codebook, writer);
      return indicator.holds ? holds : writer.operate('-', writer.number(1), holds);
    }),
  ];
  return factors.reduce((product, factor) => writer.operate('*', product, factor));
}
