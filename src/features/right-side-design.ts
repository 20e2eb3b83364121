import { defined } from '../defined.ts';
import type { Codebook } from '../study/codebook.ts';
import type { Formula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { createDesign, type Design } from './design.ts';
import type { Coding } from './terms.ts';

/** The design of the right side of a formula: its columns without the responses, and only the variables that they need. */
export function rightSideDesign(formula: Formula, codebook: Codebook, coding?: Coding): Design {
  const rightSide = rightSideCodebook(formula, codebook);
  return createDesign({ ...formula, responses: [] }, rightSide, defined({ coding }));
}

/** The codebook without columns that only the responses use. */
export function rightSideCodebook(formula: Formula, codebook: Codebook): Codebook {
  const left = new Set(formula.responses.flatMap(expressionColumns));
  const right = new Set(expressionColumns(formula.right));
  return Object.fromEntries(
    Object.entries(codebook).filter(([name]) => !left.has(name) || right.has(name)),
  );
}
