import { checkResponse, checkTerms } from './formula-check.ts';
import { listedValues } from './formula-constants.ts';
import { FormulaError } from './formula-error.ts';
import {
  deparse,
  type Expression,
  expressionColumns,
  isComparison,
  levelTest,
  visit,
} from './formula-expression.ts';
import { parseSides } from './formula-parser.ts';
import { argumentPlaces, signatureOf } from './formula-signatures.ts';

export { FormulaError } from './formula-error.ts';
export type { Expression } from './formula-expression.ts';

/** A formula of R as written: responses and terms. */
export interface Formula {
  readonly text: string;
  /** The response as R deparses it: `log(y)`, `cbind(y1, y2)`. */
  readonly responseLabel: string;
  /** Arithmetic on columns or a category, one for each target; several only under `cbind()`. */
  readonly responses: readonly Expression[];
  /** The side after `~`, not yet expanded into terms. */
  readonly right: Expression;
}

/** Reads R's formula syntax; throws FormulaError with a caret under the problem. */
export function parseFormula(text: string): Formula {
  const { left, right } = parseSides(text);
  const responses = left.kind === 'call' && left.function === 'cbind' ? left.arguments : [left];
  if (responses.length === 0) {
    throw new FormulaError('cbind() is empty', text, left.position, 'name the responses inside it');
  }
  for (const response of responses) checkResponse(text, response);
  checkTerms(text, right);
  return { text, responseLabel: deparse(left), responses, right };
}

/** The columns that a formula needs, before a codebook is known. */
export interface FormulaColumns {
  /** Every column named, responses first, each once. */
  readonly columns: readonly string[];
  /** Those in the response. */
  readonly responses: readonly string[];
  /** Those used directly or in arithmetic. */
  readonly numeric: readonly string[];
  /** Those that a function takes as a category, as factor() does, and those compared with a text. */
  readonly factors: readonly string[];
  /** Whether a `.` asks for all other columns too. */
  readonly usesDot: boolean;
}

export function formulaColumns(formula: Formula): FormulaColumns {
  const responses = new Set(formula.responses.flatMap(expressionColumns));
  const numeric = new Set<string>();
  const factors = new Set<string>();
  const insideFactor = new Set<Expression>();
  let usesDot = false;
  for (const side of [...formula.responses, formula.right]) {
    visit(side, (node) => {
      if (node.kind === 'dot') usesDot = true;
      for (const category of categoriesIn(node)) insideFactor.add(category);
      if (isComparison(node) && levelTest(node) !== undefined) {
        insideFactor.add(node.left).add(node.right);
      }
      if (node.kind === 'name') (insideFactor.has(node) ? factors : numeric).add(node.name);
    });
  }
  return {
    columns: [...new Set([...responses, ...expressionColumns(formula.right)])],
    responses: [...responses],
    numeric: [...numeric],
    factors: [...factors],
    usesDot,
  };
}

/** The parts of a node that it takes as categories. */
function categoriesIn(node: Expression): readonly Expression[] {
  if (node.kind === 'binary' && node.operator === '%in%') {
    return typeof listedValues(node.right)?.[0] === 'string' ? [node.left] : [];
  }
  const signature = node.kind === 'call' ? signatureOf(node.function) : undefined;
  if (node.kind !== 'call' || signature === undefined) return [];
  const places = argumentPlaces(signature, node);
  return node.arguments.filter((_, k) => places[k]?.kind === 'category');
}
