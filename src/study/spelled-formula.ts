import type { Codebook } from './codebook.ts';
import { parseFormula } from './formula.ts';
import { deparse, expressionColumns, summands, visit } from './formula-expression.ts';
import { usableColumns } from './usable-columns.ts';

/** Most characters of a study's formula. */
export const LONGEST_FORMULA = 20_000;

/**
 * The formula with the columns of the codebook in place of ".", in their order. The JSON of a study does not keep the
 * order of its columns, its formula does. Unchanged where it would be too long.
 */
export function spelledFormula(text: string, codebook: Codebook): string {
  const formula = parseFormula(text);
  const responses = new Set(formula.responses.flatMap(expressionColumns));
  const names = usableColumns(formula, codebook)
    .filter((name) => !responses.has(name))
    .map((name) => deparse({ kind: 'name', name, position: 0 }));
  const dots: number[] = [];
  visit(formula.right, (node) => {
    if (node.kind === 'dot') dots.push(node.position);
  });
  if (names.length === 0) return text;
  const added = new Set(
    summands(formula.right).flatMap(({ operator, operand }) =>
      operator === '+' && operand.kind === 'dot' ? [operand.position] : [],
    ),
  );
  const sum = names.join(' + ');
  const whole = dots
    .sort((a, b) => b - a)
    .reduce(
      (spelled, at) =>
        `${spelled.slice(0, at)}${added.has(at) ? sum : `(${sum})`}${spelled.slice(at + 1)}`,
      text,
    );
  return whole.length > LONGEST_FORMULA ? text : whole;
}
