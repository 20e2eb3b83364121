import { bindVariable } from '../features/variables.ts';
import { parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import type { TableStudy } from '../study/study.ts';

/** The values the codebook allows the one response of a study: what predictions of a private model are capped to. */
export function publicRange({ formula: text, codebook }: TableStudy): readonly [number, number] {
  const formula = parseFormula(text);
  const [response] = expandFormula(formula, Object.keys(codebook)).responses;
  const names = expressionColumns(response.expression);
  const places = new Map(names.map((name, place) => [name, place]));
  const variable = bindVariable(response, formula, codebook, places);
  return 'interval' in variable ? [variable.interval.low, variable.interval.high] : [0, 1];
}
