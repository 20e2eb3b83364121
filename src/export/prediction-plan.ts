import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { type CategoryVariable, isCategory, uncheckedIn } from '../features/bound-variable.ts';
import { levelExpression, partExpression } from '../features/category-expression.ts';
import type { FeatureText } from '../features/feature-text.ts';
import type { MapWriter } from '../features/map-writer.ts';
import { mappedColumns } from '../features/mapped-columns.ts';
import type { PublicUnit } from '../features/public-unit.ts';
import { codingOf } from '../features/study-design.ts';
import { codeTerms, type NumberFactor, variableColumns } from '../features/terms.ts';
import { bindVariable } from '../features/variables.ts';
import { modelDesign } from '../model/model-design.ts';
import { modelStudy } from '../model/model-study.ts';
import { createPredictor } from '../model/predict.ts';
import { type Cap, predictionCap } from '../model/prediction-cap.ts';
import type { Report } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import { type Column, defaultMissing } from '../study/codebook.ts';
import { type Expression, parseFormula } from '../study/formula.ts';
import { expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import type { TableStudy } from '../study/study.ts';
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

/** A nonlinear feature map: the prediction gets the sums of its columns times their estimates. */
export interface PlannedMap {
  /** Name of its columns: `random Fourier features`. */
  readonly made: string;
  /** The columns it maps, each with its public unit; they have no estimates. */
  readonly inputs: readonly (PlannedColumn & { readonly unit: PublicUnit })[];
  /** Its part of the prediction: a column per response. */
  link<Matrix>(writer: MapWriter<Matrix>): Matrix;
}

/** Everything needed to predict in another language. */
export interface PredictionPlan {
  readonly inputs: readonly InputColumn[];
  /** Every column whose levels are checked. */
  readonly categories: readonly Category[];
  /** What must be 1 for a row to have a prediction: its value lies between the breaks of a cut(). */
  readonly guards: readonly Expression[];
  readonly intercept: readonly number[];
  /** Without the intercept, and without the columns that are mapped; offsets are columns whose estimates are 1. */
  readonly columns: readonly PlannedColumn[];
  readonly mapped?: PlannedMap;
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
  const study = modelStudy(asked, report);
  createPredictor(asked, report); // refuses a report whose terms are not the study's
  const { codebook } = study;
  const formula = parseFormula(study.formula);
  const expanded = expandFormula(formula, usableColumns(formula, codebook));
  const named = [...expanded.variables, ...expanded.offsets];
  const names = [...new Set(named.flatMap(({ expression }) => expressionColumns(expression)))];
  const places = new Map(names.map((name, place) => [name, place]));
  const bound = expanded.variables.map((variable) =>
    bindVariable(variable, formula, codebook, places),
  );
  const answers = responsesOf(report);
  const cap = predictionCap(report);
  const estimates = answers.map(
    ({ terms }) => new Map(terms.map(({ term, estimate }) => [term, estimate])),
  );
  const estimatesOf = (name: string) => estimates.map((answer) => answer.get(name) ?? 0);
  const indicatorOf = (index: number, level: number): PlannedIndicator => {
    const variable = bound[index]!;
    if (!isCategory(variable)) throw new RangeError('a number has no levels');
    if (variable.kind === 'category') return { category: categoryOf(variable), level };
    return variable.isLogical === true
      ? { comparison: expanded.variables[index]!.expression, holds: variable.codes[level] === 1 }
      : { comparison: levelExpression(variable, level), holds: true };
  };
  const numberOf = ({ variable, part }: NumberFactor): Expression => {
    const { kind } = bound[variable]!;
    return kind === 'number' || kind === 'computed'
      ? expanded.variables[variable]!.expression
      : partExpression(bound[variable]!, part);
  };
  const coded = codeTerms(expanded, variableColumns(bound), codingOf(study));
  const planned = coded.map(({ name, numbers, indicators }) => ({
    name,
    numbers: numbers.map(numberOf),
    indicators: indicators.map(({ variable, level }) => indicatorOf(variable, level)),
    estimates: estimatesOf(name),
  }));
  const mapped = nonlinearMap(study, report, planned, estimatesOf);
  const used = new Set(mapped?.inputs.map(({ name }) => name));
  const offsets = expanded.offsets.map(({ label, expression }) => ({
    name: label,
    numbers: [expression],
    indicators: [],
    estimates: answers.map(() => 1),
  }));
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
      ...bound.flatMap((variable) => uncheckedIn(variable).map(categoryOf)),
    ],
    guards: bound.flatMap((variable) =>
      variable.kind === 'coded' && variable.guard !== undefined ? [variable.guard.expression] : [],
    ),
    intercept: estimatesOf('(Intercept)'),
    columns: [...planned.filter(({ name }) => !used.has(name)), ...offsets],
    responses: answers.map(({ response }) => response || formula.responseLabel),
    ...defined({ cap, mapped, classes: plannedClasses(report, answers.length) }),
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

/** The map of a model that has no coefficients of the formula's columns. */
function nonlinearMap(
  study: TableStudy,
  report: Report,
  columns: readonly PlannedColumn[],
  estimatesOf: (name: string) => readonly number[],
): PlannedMap | undefined {
  const { original } = report.responses?.[0] ?? report;
  if (reportedMap(report) === undefined || original !== undefined) return undefined;
  const design = modelDesign(study, report);
  const { mapped } = design;
  const write = mapped?.write;
  if (mapped === undefined || write === undefined) return refuseMap(reportedMap(report)!.map);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const estimates = mappedColumns(design).flatMap(({ name }) => estimatesOf(name));
  return {
    made: reportedMap(report)!.map.made.many,
    inputs: mapped.columns.map((index) => {
      const { name, publicUnit: unit } = mapped.from.columns[index]!;
      return { ...byName.get(name)!, unit };
    }),
    link: (writer) => writer.affine(write(writer), Float64Array.from(estimates)),
  };
}

function refuseMap({ made: { many } }: FeatureText): never {
  throw new DataError(
    `a model of ${many} cannot be written in another language`,
    {},
    `predict with suffice, or make a study without ${many}`,
  );
}

function categoryOf({ source, written, codes, checked }: CategoryVariable): Category {
  return { column: source, levels: written, ...(checked ? {} : { codes }) };
}
