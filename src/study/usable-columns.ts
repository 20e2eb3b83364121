import type { Codebook } from './codebook.ts';
import type { Formula } from './formula.ts';
import { FormulaError } from './formula-error.ts';
import { visit } from './formula-expression.ts';

/** The columns that a formula may use, and that "." stands for: all but id columns. */
export function usableColumns(formula: Formula, codebook: Codebook): string[] {
  for (const side of [...formula.responses, formula.right]) {
    visit(side, (node) => {
      if (node.kind !== 'name' || codebook[node.name]?.type !== 'id') return;
      const problem = `"${node.name}" is an id column; a formula cannot use it`;
      const remedy = 'leave it out, or make it a number or a category in the codebook';
      throw new FormulaError(problem, formula.text, node.position, remedy);
    });
  }
  return Object.keys(codebook).filter((name) => codebook[name]!.type !== 'id');
}
