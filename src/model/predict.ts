import { createDesign } from '../features/design.ts';
import { twoProduct, twoSum } from '../numeric/double-double.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import { type Formula, parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import type { Study } from '../study/study.ts';
import type { Block, Origin } from '../table/columns.ts';
import { DataError } from '../table/data-error.ts';
import type { TermRow } from './inference.ts';
import type { Report } from './report.ts';

/** A fitted model as a function of rows. */
export interface Predictor {
  /** Codebook columns a block must carry, in this order: those of the right side alone. */
  readonly variables: readonly string[];
  /** Names of the predictions: `.fitted`, or `.fitted.<response>` where there are several. */
  readonly names: readonly string[];
  /** One array a response; NaN where a row lacks a cell. Aliased terms count as 0, as in R. */
  predict(block: Block, origin: Origin): readonly Float64Array[];
}

/** The model a report describes, over the study it answers. */
export function createPredictor(study: Study, report: Report): Predictor {
  const formula = parseFormula(study.formula);
  const answers = answersOf(report);
  const columns = explaining(formula, study);
  const design = createDesign({ ...formula, responses: [] }, columns);
  refuseStrangers(design.columns, answers, study, formula);
  const estimates = answers.map(({ terms }) => {
    const byName = new Map(terms.map(({ term, estimate }) => [term, estimate]));
    return design.columns.map(({ name }) => byName.get(name) ?? 0);
  });
  let hi: Float64Array[] = [];
  let lo: (Float64Array | undefined)[] = [];

  const reserve = (rows: number) => {
    if ((hi[0]?.length ?? 0) >= rows) return;
    hi = design.columns.map(() => new Float64Array(rows));
    lo = design.needsLow.map((needed) => (needed ? new Float64Array(rows) : undefined));
  };

  return {
    variables: design.variables,
    names: answers.map(({ response }) =>
      response === undefined ? '.fitted' : `.fitted.${response}`,
    ),
    predict(block, origin) {
      const { block: complete, origin: kept } = completeRows(block, () => {});
      reserve(complete.rows);
      const rowOf = (r: number) => origin.rowOf(kept?.[r] ?? r);
      design.evaluate(complete, { file: origin.file, rowOf }, hi, lo);
      return estimates.map((weights) => {
        const sums = dotProducts(weights, hi, lo, complete.rows);
        if (kept === undefined) return sums;
        const all = new Float64Array(block.rows).fill(Number.NaN);
        kept.forEach((row, r) => {
          all[row] = sums[r];
        });
        return all;
      });
    },
  };
}

/** Σ weight · column for every row, as if in twice the precision (Ogita, Rump & Oishi 2005, Dot2). */
function dotProducts(
  weights: readonly number[],
  hi: readonly Float64Array[],
  lo: readonly (Float64Array | undefined)[],
  rows: number,
): Float64Array {
  const sums = new Float64Array(rows);
  const rests = new Float64Array(rows);
  weights.forEach((weight, column) => {
    if (weight === 0) return;
    const values = hi[column];
    const rest = lo[column];
    for (let r = 0; r < rows; r++) {
      const product = twoProduct(weight, values[r]);
      const sum = twoSum(sums[r], product.hi);
      sums[r] = sum.hi;
      rests[r] += sum.lo + product.lo + (rest === undefined ? 0 : weight * rest[r]);
    }
  });
  return sums.map((sum, r) => sum + rests[r]);
}

interface Answer {
  readonly response?: string;
  readonly terms: readonly TermRow[];
}

function answersOf({ responses, terms }: Report): readonly Answer[] {
  if (responses !== undefined) return responses;
  if (terms !== undefined) return [{ terms }];
  throw new DataError(
    'the report has no coefficients',
    {},
    'give the model of a study that resolved',
  );
}

/** The codebook without columns that only the response speaks of: a file to predict for lacks them. */
function explaining(formula: Formula, { codebook }: Study): Study['codebook'] {
  const left = new Set(formula.responses.flatMap(expressionColumns));
  const right = new Set(expressionColumns(formula.right));
  return Object.fromEntries(
    Object.entries(codebook).filter(([name]) => !left.has(name) || right.has(name)),
  );
}

function refuseStrangers(
  columns: readonly { readonly name: string }[],
  answers: readonly Answer[],
  study: Study,
  formula: Formula,
): void {
  const own = createDesign(formula, study.codebook).columns.slice(0, -formula.responses.length);
  const known = new Set(columns.map(({ name }) => name));
  const fits =
    answers.length === formula.responses.length &&
    own.length === columns.length &&
    own.every(({ name }) => known.has(name)) &&
    answers.every(({ terms }) => terms.every(({ term }) => known.has(term)));
  if (fits) return;
  throw new DataError(
    'the report does not belong to the study: their terms differ',
    {},
    'give the file as the coordinator or suffice fit --save-model wrote it',
  );
}
