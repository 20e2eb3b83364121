import type { Codebook } from '../study/codebook.ts';
import type { PlannedColumn } from './prediction-plan.ts';
import { type ArithmeticWriter, writeArithmetic } from './write-arithmetic.ts';

/** A column of the model matrix in another language: the product of its numbers and indicators. */
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
