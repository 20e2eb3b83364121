import { bindVariable } from '../features/variables.ts';
import { parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import type { TableStudy } from '../study/study.ts';
import type { Report } from './report.ts';

/** Smallest and largest value of a prediction. */
export type Cap = readonly [number, number];

/** The public range of the response, which limits predictions of a private model; undefined for other models. */
export function predictionCap({ privacy }: Pick<Report, 'privacy'>): Cap | undefined {
  return privacy?.range;
}

export function capped(value: number, [low, high]: Cap): number {
  return Math.min(high, Math.max(low, value));
}

/** The range of the response by the codebook: predictions of a private model are capped to it. */
export function publicRange({ formula: text, codebook }: TableStudy): readonly [number, number] {
  const formula = parseFormula(text);
  const [response] = expandFormula(formula, Object.keys(codebook)).responses;
  const names = expressionColumns(response.expression);
  const places = new Map(names.map((name, place) => [name, place]));
  const variable = bindVariable(response, formula, codebook, places);
  return 'interval' in variable ? [variable.interval.low, variable.interval.high] : [0, 1];
}
