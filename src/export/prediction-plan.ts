import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { codeTerms } from '../features/terms.ts';
import { bindVariable, type CategoryVariable } from '../features/variables.ts';
import { createPredictor } from '../model/predict.ts';
import { type Cap, predictionCap } from '../model/prediction-cap.ts';
import type { Report } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import { withSiteTerm } from '../model/site-term.ts';
import { type Column, defaultMissing } from '../study/codebook.ts';
import { type Expression, parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import { tableStudy } from '../study/table-study.ts';
import { usableColumns } from '../study/usable-columns.ts';
import { type ExportedModel, responsesOf } from './exported-model.ts';

/** A column of the table that the model reads. */
export interface InputColumn {
  readonly name: string;
  readonly type: Column['type'];
  /** Texts that count as missing. */
  readonly missing: readonly string[];
}

/** A column with known levels: a category, or factor() of a number column. */
export interface Category {
  readonly column: string;
  /** The baseline first. */
  readonly levels: readonly string[];
  /** The levels as numbers where the column holds numbers. */
  readonly codes?: readonly number[];
}

/** 1 or 0: whether a row is at a level, or whether a comparison holds or fails. */
export type PlannedIndicator =
  | { readonly category: Category; readonly level: number }
  | { readonly comparison: Expression; readonly holds: boolean };

/** A column of the model matrix: a product of numbers and indicators. */
export interface PlannedColumn {
  /** R's coefficient name. */
  readonly name: string;
  readonly numbers: readonly Expression[];
  readonly indicators: readonly PlannedIndicator[];
  /** One per response; 0 where the term is aliased. */
  readonly estimates: readonly number[];
}

/** Everything needed to predict in another language. */
export interface PredictionPlan {
  readonly inputs: readonly InputColumn[];
  /** Every column whose levels are checked. */
  readonly categories: readonly Category[];
  readonly intercept: readonly number[];
  /** Without the intercept. */
  readonly columns: readonly PlannedColumn[];
  /** Names of the responses. */
  readonly responses: readonly string[];
  /** The range that caps predictions of a private model. */
  readonly cap?: Cap;
  /** How fitted values become probabilities of classes, where the model has one category on the left side. */
  readonly classes?: PlannedClasses;
}

/** The probability of a level is its share of exp(constant + Σ weight · fitted value). */
export interface PlannedClasses {
  /** Levels with rows; the others have probability 0. */
  readonly levels: readonly string[];
  readonly constants: readonly number[];
  /** For each level, one for each response. */
  readonly weights: readonly (readonly number[])[];
}

/** How rows become predictions; throws DataError where the report does not belong to the study. */
export function predictionPlan({ study: agreed, report }: ExportedModel): PredictionPlan {
  const asked = tableStudy(agreed);
  const study = withSiteTerm(asked, report);
  createPredictor(asked, report); // refuses a report whose terms are not the study's
  const { codebook } = study;
  const formula = parseFormula(study.formula);
  const expanded = expandFormula(formula, usableColumns(formula, codebook));
  const expressions = expanded.variables.map(({ expression }) => expression);
  const names = [...new Set(expressions.flatMap(expressionColumns))];
  const places = new Map(names.map((name, place) => [name, place]));
  const bound = expanded.variables.map((variable) =>
    bindVariable(variable, formula, codebook, places),
  );
  refuseNonlinearMap(report);
  const answers = responsesOf(report);
  const cap = predictionCap(report);
  const estimates = answers.map(
    ({ terms }) => new Map(terms.map(({ term, estimate }) => [term, estimate])),
  );
  const estimatesOf = (name: string) => estimates.map((answer) => answer.get(name) ?? 0);
  const indicatorOf = (index: number, level: number): PlannedIndicator => {
    const variable = bound[index]!;
    return variable.kind === 'category'
      ? { category: categoryOf(variable), level }
      : { comparison: expressions[index]!, holds: level === 1 };
  };
  const coded = codeTerms(expanded, (index) => {
    const variable = bound[index]!;
    return 'levels' in variable ? variable.levels : undefined;
  });
  return {
    inputs: names.map((name) => {
      const { type, missing = defaultMissing } = codebook[name]!;
      return { name, type, missing };
    }),
    categories: [
      ...names.flatMap((column) => {
        const { type, levels = [] } = codebook[column]!;
        return type === 'category' ? [{ column, levels }] : [];
      }),
      ...bound.flatMap((variable) =>
        variable.kind === 'category' && !variable.checked ? [categoryOf(variable)] : [],
      ),
    ],
    intercept: estimatesOf('(Intercept)'),
    columns: coded.map(({ name, numbers, indicators }) => ({
      name,
      numbers: numbers.map((index) => expressions[index]!),
      indicators: indicators.map(({ variable, level }) => indicatorOf(variable, level)),
      estimates: estimatesOf(name),
    })),
    responses: answers.map(({ response }) => response || formula.responseLabel),
    ...defined({ cap, classes: plannedClasses(report, answers.length) }),
  };
}

function plannedClasses({ classes = [] }: Report, responses: number): PlannedClasses | undefined {
  if (classes.length !== 1) return undefined;
  const { levels } = classes[0];
  // Beside a category there may be other responses.
  if (levels.some(({ weights }) => weights.length !== responses)) return undefined;
  return {
    levels: levels.map(({ level }) => level),
    constants: levels.map(({ constant }) => constant),
    weights: levels.map(({ weights }) => weights),
  };
}

/** Refuses a nonlinear feature map: such a model has no coefficients of the formula's columns. */
function refuseNonlinearMap(report: Report): void {
  const reported = reportedMap(report);
  const { original } = report.responses?.[0] ?? report;
  if (reported === undefined || original !== undefined) return;
  const { many } = reported.map.made;
  throw new DataError(
    `a model of ${many} cannot be written in another language`,
    {},
    `predict with suffice, or make a study without ${many}`,
  );
}

function categoryOf({ source, levels, codes, checked }: CategoryVariable): Category {
  return { column: source, levels, ...(checked ? {} : { codes }) };
}
