import { constantValue } from '../features/arithmetic.ts';
import type { ArithmeticWriter } from '../features/arithmetic-writer.ts';
import { numberFunction } from '../features/number-functions.ts';
import { writePiecewise } from '../features/piecewise-polynomial.ts';
import type { Codebook } from '../study/codebook.ts';
import type { Expression } from '../study/formula.ts';
import { deparse, isComparison, levelTest } from '../study/formula-expression.ts';
import type { PlannedColumn } from './prediction-plan.ts';

/** Writes an expression of a formula in another language. */
export function writeArithmetic<T>(
  expression: Expression,
  codebook: Codebook,
  writer: ArithmeticWriter<T>,
): T {
  const write = (inner: Expression): T => writeArithmetic(inner, codebook, writer);
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
    case 'call':
      return numberFunction(expression).write(writer, expression.arguments.map(write), expression);
    case 'piecewise':
      return writePiecewise(writer, write(expression.argument), expression.pieces);
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
export function writeColumn<T>(
  { numbers, indicators }: PlannedColumn,
  codebook: Codebook,
  writer: ArithmeticWriter<T>,
): T {
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
