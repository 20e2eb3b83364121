import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import { rightSideDesign } from '../features/right-side-design.ts';
import { codingOf, withFeatures } from '../features/study-design.ts';
import { twoProduct, twoSum } from '../numeric/double-double.ts';
import { completeRows } from '../statistic/complete-rows.ts';
import { parseFormula } from '../study/formula.ts';
import type { Study } from '../study/study.ts';
import type { Block, Origin } from '../table/columns.ts';
import {
  type ClassScores,
  type LinearScore,
  type PredictionOutput,
  posteriorOutput,
  probabilityOutput,
  scoreOutput,
} from './class-prediction.ts';
import type { Glance, TermRow } from './inference.ts';
import { modelDesign } from './model-design.ts';
import { modelStudy } from './model-study.ts';
import { type Cap, capped, predictionCap } from './prediction-cap.ts';
import {
  type IntervalRequest,
  noPredictionInterval,
  type RowOutput,
  refuseWithoutErrors,
  withInterval,
} from './prediction-interval.ts';
import type { Report } from './report.ts';

/** A fitted model as a function of rows. */
export interface Predictor {
  /** Codebook columns a block must carry, in this order: those of the right side of the formula. */
  readonly variables: readonly string[];
  /**
   * Names of the predictions: `.fitted`, or `.fitted.<response>` where there are several; then `.link` under a
   * family, and `.se.fit`, `.lower`, `.upper` where an interval was requested. For a category `.class` and its `.probability`
   * follow, then `.probability.<level>`; `.score.<level>` in models that have no probabilities.
   */
  readonly names: readonly string[];
  /** For each name: the levels, where its values are indices of levels. */
  readonly levels: readonly (readonly string[] | undefined)[];
  /** Indices of the names that tell the class and its probability; none where the model has no classes. */
  readonly brief: readonly number[];
  /** One array per name; NaN where a row lacks a cell. Aliased terms count as 0, as in R. */
  predict(block: Block, origin: Origin): readonly Float64Array[];
}

/**
 * The predictor of a report and its study; `posteriors` are discriminant analyses of its classes, for a report without
 * probabilities of its own. Throws where an `interval` is requested and the model has none.
 */
export function createPredictor(
  asked: Study,
  report: Report,
  posteriors: readonly ClassScores[] = [],
  interval?: IntervalRequest,
): Predictor {
  const study = modelStudy(asked, report);
  const formula = parseFormula(study.formula);
  const answers = answersOf(report);
  const design = withFeatures(rightSideDesign(formula, study.codebook, codingOf(study)), study);
  const own = modelDesign(study, report);
  refuseOtherTerms(design.columns, answers, own, posteriors);
  if (interval !== undefined) refuseInterval(interval, report, own);
  const names = design.columns.map(({ name }) => name);
  const cap = predictionCap(report);
  const fitted = answers.map(scoreOf);
  const outputs: RowOutput[] = [
    ...answers.map((answer, k) => {
      const { output, suffix, mean } = responseOutput(answer, fitted[k], report.family, cap);
      if (interval === undefined) return output;
      const source = { study, report, columns: names, ...answer };
      return withInterval(output, suffix, mean, source, interval);
    }),
    ...(report.family === undefined ? classOutputs(own, fitted, report, posteriors) : []),
  ];
  const columns = outputs.flatMap((output) => output.columns);
  // A fitted value and a class may need the same sum.
  const distinct = [...new Set(outputs.flatMap((output) => output.scores))];
  const scores = distinct.map(({ constant, weights }) => ({
    constant,
    weights: names.map((name) => weights.get(name) ?? 0),
  }));
  let hi: Float64Array[] = [];
  let lo: (Float64Array | undefined)[] = [];

  const reserve = (rows: number) => {
    if ((hi[0]?.length ?? 0) >= rows) return;
    hi = design.columns.map(() => new Float64Array(rows));
    lo = design.needsLow.map((needed) => (needed ? new Float64Array(rows) : undefined));
  };

  return {
    variables: design.variables,
    names: columns.map(({ name }) => name),
    levels: columns.map(({ levels }) => levels),
    brief: columns.flatMap(({ isBrief }, k) => (isBrief === true ? [k] : [])),
    predict(block, origin) {
      const { block: complete, origin: kept } = completeRows(block, () => {});
      reserve(complete.rows);
      const rowOf = (r: number) => origin.rowOf(kept?.[r] ?? r);
      const place = { file: origin.file, rowOf };
      design.evaluate(complete, place, hi, lo);
      const rows = { hi, lo, rows: complete.rows, origin: place };
      const found = scores.map(({ constant, weights }) =>
        dotProducts(constant, weights, hi, lo, complete.rows),
      );
      if (design.evaluateOffset !== undefined) {
        const offset = new Float64Array(complete.rows);
        design.evaluateOffset(complete, place, offset);
        for (const sums of found)
          offset.forEach((value, r) => {
            sums[r] += value;
          });
      }
      return outputs.flatMap((output) => {
        const sums = output.scores.map((score) => found[distinct.indexOf(score)]);
        return output.fill(sums, rows).map((values) => {
          if (kept === undefined) return values;
          const all = new Float64Array(block.rows).fill(Number.NaN);
          kept.forEach((row, r) => {
            all[row] = values[r];
          });
          return all;
        });
      });
    },
  };
}

function scoreOf({ terms }: Answer): LinearScore {
  return { constant: 0, weights: new Map(terms.map(({ term, estimate }) => [term, estimate])) };
}

/** `.fitted`; in a generalised model this is the mean, and `.link` the linear predictor. */
function responseOutput(
  answer: Answer,
  score: LinearScore,
  family: Report['family'],
  cap: Cap | undefined,
): { readonly output: PredictionOutput; readonly suffix: string; mean(link: number): number } {
  const suffix = answer.response === undefined ? '' : `.${answer.response}`;
  const scores = [score];
  const fitted = { name: `.fitted${suffix}` };
  if (family === undefined) {
    const mean = cap === undefined ? (link: number) => link : (link: number) => capped(link, cap);
    const fill: PredictionOutput['fill'] = (sums) => sums.map((values) => values.map(mean));
    const output: PredictionOutput = {
      scores,
      columns: [fitted],
      fill: cap === undefined ? unchanged : fill,
    };
    return { output, suffix, mean };
  }
  const mean = family === 'binomial' ? logistic : Math.exp;
  const columns = [fitted, { name: `.link${suffix}` }];
  const output: PredictionOutput = { scores, columns, fill: ([link]) => [link.map(mean), link] };
  return { output, suffix, mean };
}

const unchanged: PredictionOutput['fill'] = (sums) => sums;

function logistic(link: number): number {
  return 1 / (1 + Math.exp(-link));
}

function classOutputs(
  { classes }: Design,
  scores: readonly LinearScore[],
  report: Report,
  posteriors: readonly ClassScores[],
): PredictionOutput[] {
  return classes.map((one) => {
    const suffix = classes.length === 1 ? '' : `.${one.label}`;
    const fitted = one.columns.map((response) => scores[response]);
    const reported = report.classes?.find(({ label }) => label === one.label);
    if (reported !== undefined) return probabilityOutput(one, reported, fitted, suffix);
    const posterior = posteriors.find(({ label }) => label === one.label);
    if (posterior !== undefined) return posteriorOutput(one, posterior, suffix);
    return scoreOutput(one, fitted, suffix);
  });
}

/** start + Σ weight · column of every row, as if in twice the precision (Ogita, Rump & Oishi 2005, Dot2). */
function dotProducts(
  start: number,
  weights: readonly number[],
  hi: readonly Float64Array[],
  lo: readonly (Float64Array | undefined)[],
  rows: number,
): Float64Array {
  const sums = new Float64Array(rows).fill(start);
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
  readonly glance: Glance | undefined;
}

function answersOf({ responses, terms, glance }: Report): readonly Answer[] {
  if (responses !== undefined) return responses;
  if (terms !== undefined) return [{ terms, glance }];
  throw new DataError(
    'the report has no coefficients',
    {},
    'give the model of a study that resolved',
  );
}

function refuseInterval({ kind }: IntervalRequest, report: Report, design: Design): void {
  refuseWithoutErrors(report);
  const without = kind === 'prediction' ? noPredictionInterval(report, design) : undefined;
  if (without !== undefined)
    throw new DataError(without.problem, {}, without.remedy, without.option);
}

function refuseOtherTerms(
  columns: readonly { readonly name: string }[],
  answers: readonly Answer[],
  design: Design,
  posteriors: readonly ClassScores[],
): void {
  const own = design.columns.slice(0, -design.responses);
  const known = new Set(columns.map(({ name }) => name));
  const fits =
    answers.length === design.responses &&
    own.length === columns.length &&
    own.every(({ name }) => known.has(name)) &&
    answers.every(({ terms }) => terms.every(({ term }) => known.has(term))) &&
    posteriors.every(({ terms }) => terms.every((term) => known.has(term)));
  if (fits) return;
  throw new DataError(
    'the report does not belong to the study: their terms differ',
    {},
    'give the file as it was written',
    { name: 'model', value: 'saved' },
  );
}
