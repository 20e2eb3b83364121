import type { ArithmeticWriter } from '../features/arithmetic-writer.ts';
import { tableStudy } from '../study/table-study.ts';
import type { ExportedModel } from './exported-model.ts';
import { type MapLanguage, mapLines } from './map-lines.ts';
import {
  type InputColumn,
  type PlannedClasses,
  type PredictionPlan,
  predictionPlan,
} from './prediction-plan.ts';
import { comment, finiteOnly, quoted, snippetHeading } from './snippet-text.ts';
import { writeArithmetic, writeColumn } from './write-arithmetic.ts';

/**
 * R code that defines `predict_suffice(data)`: a vector, or a matrix with one column per response. In a logistic or
 * Poisson regression it returns the mean, or the linear predictor with type = "link". For a category also
 * `classify_suffice(data)`: a list of `class` and `probability`, a matrix with one column per level. Needs base R only; pure ASCII
 * except in comments.
 */
export function rSnippet(model: ExportedModel): string {
  const plan = predictionPlan(model);
  const { family } = model.report;
  const writer = writerFor(plan);
  const { codebook } = tableStudy(model.study);
  const map = plan.mapped === undefined ? undefined : mapLines(plan.mapped, mapLanguage);
  const mapInputs = (plan.mapped?.inputs ?? []).map((column) => {
    const { center, scale } = column.unit;
    return `(${writeColumn(column, codebook, writer)} - ${number(center)}) / ${number(scale)}`;
  });
  return [
    ...snippetHeading(model),
    `predict_suffice <- function(data${family === undefined ? '' : ', type = "response"'}) {`,
    ...readers(plan),
    ...plan.inputs.map((input, k) => `  v${k + 1} <- ${reading(input, plan)}`),
    `  link <- matrix(${vector(plan.intercept.map(number))}, nrow(data), ${plan.responses.length}, byrow = TRUE)`,
    ...plan.columns.flatMap((column) => {
      const value = writeColumn(column, codebook, writer);
      const estimates = vector(column.estimates.map(number));
      return [`  ${comment(column.name)}`, `  link <- link + outer(${value}, ${estimates})`];
    }),
    ...plan.guards.map((guard) => {
      const inside = writeArithmetic(guard, codebook, writer);
      return `  link[which(${inside} == 0), ] <- NA`;
    }),
    ...(map === undefined
      ? []
      : [
          `  x <- cbind(${mapInputs.join(', ')}, deparse.level = 0)`,
          ...map.matrices.map((line) => `  ${line}`),
          ...map.lines.map((line) => `  ${line}`),
          `  link <- link + ${map.link}`,
        ]),
    ...(plan.cap === undefined
      ? []
      : [`  link <- pmin(pmax(link, ${number(plan.cap[0])}), ${number(plan.cap[1])})`]),
    ...(plan.responses.length > 1
      ? [`  colnames(link) <- ${vector(plan.responses.map(quoted))}`]
      : []),
    ...(family === undefined ? [] : ['  if (type == "link") return(drop(link))']),
    `  ${plan.responses.length > 1 ? mean(family) : `as.vector(${mean(family)})`}`,
    '}',
    '',
    ...(plan.classes === undefined ? [] : classifier(plan.classes)),
  ].join('\n');
}

/** A function for the class of each row, and the probabilities of all levels. */
function classifier({ levels, constants, weights }: PlannedClasses): string[] {
  const [count, width] = [levels.length, weights[0].length];
  return [
    'classify_suffice <- function(data) {',
    `  weights <- matrix(${vector(weights.flat().map(number))}, ${width}, ${count})`,
    `  score <- matrix(predict_suffice(data), nrow(data), ${width}) %*% weights`,
    `  score <- sweep(score, 2, ${vector(constants.map(number))}, "+")`,
    '  share <- exp(score - apply(score, 1, max))',
    '  share <- share / rowSums(share)',
    `  colnames(share) <- ${vector(levels.map(quoted))}`,
    '  list(class = colnames(share)[max.col(share, ties.method = "first")], probability = share)',
    '}',
    '',
  ];
}

function mean(family: 'binomial' | 'poisson' | undefined): string {
  if (family === undefined) return 'link';
  return family === 'binomial' ? '1 / (1 + exp(-link))' : 'exp(link)';
}

const readColumn = `  column <- function(name) {
    if (!name %in% names(data)) stop("data has no column ", name)
    data[[name]]
  }`;

const readCategory = `  category <- function(name, levels, missing) {
    v <- enc2utf8(as.character(column(name)))
    v[v %in% missing] <- NA
    if (!all(is.na(v) | v %in% levels)) stop(name, " has a level the model does not know")
    v
  }`;

const readNumber = `  number <- function(name, levels = NULL) {
    v <- as.numeric(column(name))
    known <- is.null(levels) || all(is.na(v) | v %in% levels)
    if (!known) stop(name, " has a level the model does not know")
    v
  }`;

function readers({ inputs }: PredictionPlan): string[] {
  return [
    ...(inputs.length > 0 ? [readColumn] : []),
    ...(inputs.some(({ type }) => type === 'category') ? [readCategory] : []),
    ...(inputs.some(({ type }) => type === 'number') ? [readNumber] : []),
  ];
}

function reading({ name, type, missing }: InputColumn, { categories }: PredictionPlan): string {
  const category = categories.find(({ column }) => column === name);
  if (type === 'category') {
    const levels = vector(category!.levels.map(quoted));
    return `category(${quoted(name)}, ${levels}, ${vector(missing.map(quoted))})`;
  }
  if (category?.codes === undefined) return `number(${quoted(name)})`;
  return `number(${quoted(name)}, ${vector(category.codes.map(number))})`;
}

function writerFor({ inputs }: PredictionPlan): ArithmeticWriter<string> {
  const places = new Map(inputs.map(({ name }, k) => [name, `v${k + 1}`]));
  const place = (name: string) => places.get(name)!;
  return {
    number,
    column: place,
    negative: (operand) => `(-${operand})`,
    operate: (operator, left, right) => `(${left} ${operator} ${right})`,
    power: (base, exponent) => `(${base}^${number(exponent)})`,
    call: (name, argument) => `${name}(${argument})`,
    compare: (operator, left, right) => `as.numeric(${left} ${operator} ${right})`,
    atLevel: (column, level) => `as.numeric(${place(column)} == ${quoted(level)})`,
    choose: (test, yes, no) => `ifelse(${test} != 0, ${yes}, ${no})`,
    least: (left, right) => `pmin(${left}, ${right})`,
    greatest: (left, right) => `pmax(${left}, ${right})`,
    round: (argument, decimals) => `round(${argument}, ${number(decimals)})`,
  };
}

/** A feature map over all rows, as matrices. */
const mapLanguage: MapLanguage = {
  name: 'R code',
  inputs: 'x',
  matrix: (name, rows) =>
    `${name} <- matrix(${vector(rows.flatMap((row) => row.map(number)))}, ${rows.length}, byrow = TRUE)`,
  affine: (of, matrix, constant) =>
    `${of} %*% ${matrix} + matrix(${constant}, nrow(${of}), ncol(${matrix}), byrow = TRUE)`,
  call(name, of) {
    if (name === 'relu') return `${of} * (${of} > 0)`;
    return name === 'step' ? `(${of} > 0) + 0` : `${name}(${of})`;
  },
  scale: (of, factor) => `${number(factor)} * ${of}`,
  standardise: (of, centers, scales) => `sweep(sweep(${of}, 2, ${centers}), 2, ${scales}, "/")`,
  add: (left, right) => `${left} + ${right}`,
  multiply: (left, right) => `${left} * ${right}`,
  beside: (parts) => `cbind(${parts.join(', ')}, deparse.level = 0)`,
  assign: (name, value) => `${name} <- ${value}`,
};

function vector(items: readonly string[]): string {
  return items.length === 1 ? items[0]! : `c(${items.join(', ')})`;
}

function number(value: number): string {
  const digits = String(finiteOnly(value));
  return value < 0 || Object.is(value, -0) ? `(${digits})` : digits;
}
