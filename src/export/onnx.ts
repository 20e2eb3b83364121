import type { ArithmeticWriter } from '../features/arithmetic-writer.ts';
import { pinnedFiles } from '../features/feature-maps.ts';
import { imagesOf, pixelNames } from '../study/image-study.ts';
import { type ImageShape, type Study, studyDigest, type TableStudy } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import type { ExportedModel } from './exported-model.ts';
import { type OnnxGraph, onnxGraph } from './onnx-graph.ts';
import { onnxMapWriter } from './onnx-map.ts';
import {
  type Category,
  type PlannedClasses,
  type PlannedColumn,
  type PredictionPlan,
  predictionPlan,
} from './prediction-plan.ts';
import { writeArithmetic, writeColumn } from './write-arithmetic.ts';

type Metadata = Readonly<Record<string, string>>;

/** Most inputs; with more columns, the model takes one matrix. */
const MOST_INPUTS = 500;

/**
 * The model as an ONNX file in double precision; features of images are single. Inputs are the columns of the table, numbers and texts
 * [N, 1]; where there are too many, or none, one matrix `x` [N, coded columns]; in a study of images one tensor `image`
 * [N, height, width, channels] from 0 to 255. Files that its feature map needs must be loaded. The output is `y` [N, responses]; in
 * a logistic or Poisson regression `link` and `probability` or `mean`; for a category `probability` [N, levels with rows]. A
 * level that is not in the codebook gives NaN.
 */
export function onnx(model: ExportedModel): Uint8Array {
  const plan = predictionPlan(model);
  const graph = onnxGraph();
  const { inputs, responses } = plan;
  const predict = (matrix: string) => capped(graph, plan, linkOf(graph, plan, matrix));
  const study = tableStudy(model.study);
  const whole = wholeInput(graph, plan, study);
  const link =
    whole === undefined
      ? guarded(graph, plan, predict(designMatrix(graph, plan, study)), study)
      : predict(whole.matrix);

  const names = whole === undefined ? inputs.map(({ name }) => name) : [whole.name];
  const outputs: string[] = [];
  const addOutput = (wanted: string, value: string, width = responses.length) => {
    let name = wanted;
    while (names.includes(name)) name += '_';
    outputs.push(name);
    graph.output(name, value, width);
  };
  const { family } = model.report;
  addOutput(family === undefined ? 'y' : 'link', link);
  if (family === 'binomial') addOutput('probability', logistic(graph, link));
  if (family === 'poisson') addOutput('mean', graph.apply('Exp', link));
  const { classes } = plan;
  if (classes !== undefined) {
    addOutput('probability', probabilities(graph, classes, link), classes.levels.length);
  }
  return graph.finish({
    ...aboutModel(model, plan),
    ...lists({ inputs: names, outputs, ...(classes && { levels: classes.levels }) }),
  });
}

/** One input in place of one a column: images, or a matrix where columns are very many, or none. */
function wholeInput(
  graph: OnnxGraph,
  plan: PredictionPlan,
  { image }: TableStudy,
): { readonly name: string; readonly matrix: string } | undefined {
  const columns = codedColumns(plan);
  if (image !== undefined && areThePixels(columns, image)) {
    const { height, width, channels } = image;
    const name = graph.input('image', 'number', height, width, channels);
    return { name, matrix: graph.reshape(name, [columns.length]) };
  }
  const { length } = plan.inputs;
  if (length > 0 && length <= MOST_INPUTS) return undefined;
  const name = graph.input('x', 'number', columns.length);
  return { name, matrix: name };
}

/** Whether columns are the values of an image in order; a column of the site may stand beside them. */
function areThePixels(columns: readonly PlannedColumn[], image: ImageShape): boolean {
  const pixels = pixelNames(image);
  return columns.length === pixels.length && columns.every(({ name }, k) => name === pixels[k]);
}

/** Probabilities of the levels from the fitted values. */
function probabilities(
  graph: OnnxGraph,
  { levels, constants, weights }: PlannedClasses,
  fitted: string,
): string {
  const byResponse = weights[0].map((_, r) => weights.map((own) => own[r]));
  const turned = graph.numbers(byResponse.flat(), [byResponse.length, levels.length]);
  const scores = graph.apply('MatMul', fitted, turned);
  return graph.softmax(graph.apply('Add', scores, graph.numbers(constants, [levels.length])));
}

/** All columns of the model matrix: those that are mapped, then the others. */
function codedColumns({ mapped, columns }: PredictionPlan): readonly PlannedColumn[] {
  return [...(mapped?.inputs ?? []), ...columns];
}

/** The linear predictor from the model matrix, and from the mapped columns where there are some. */
function linkOf(graph: OnnxGraph, plan: PredictionPlan, matrix: string): string {
  const { mapped, responses } = plan;
  const columns = codedColumns(plan);
  // Mapped columns have coefficients 0 here: only a missing value goes through, as NaN. One column of them is enough for that.
  const width = mapped !== undefined && plan.columns.length === 0 ? 1 : responses.length;
  const weights = graph.numbers(
    columns.flatMap(({ estimates }) => estimates.slice(0, width)),
    [columns.length, width],
  );
  const intercept = graph.numbers(plan.intercept, [responses.length]);
  const link = graph.apply('Add', graph.apply('MatMul', matrix, weights), intercept);
  if (mapped === undefined) return link;
  const { inputs } = mapped;
  const identity = columns.flatMap((_, i) => inputs.map((_, j) => (i === j ? 1 : 0)));
  const chosen =
    inputs.length === columns.length
      ? matrix
      : graph.apply('MatMul', matrix, graph.numbers(identity, [columns.length, inputs.length]));
  return graph.apply('Add', link, mapped.link(onnxMapWriter(graph, chosen, inputs)).name);
}

function aboutModel({ study, report }: ExportedModel, plan: PredictionPlan): Metadata {
  const files = 'features' in study ? pinnedFiles(study) : [];
  return {
    formula: tableStudy(study).formula,
    study: studyDigest(study),
    total: report.digest,
    rows: String(report.n),
    sites: String(report.sites.length),
    ...aboutColumns(study, plan),
    ...(files.length === 0 ? {} : { files: JSON.stringify(files) }),
    ...lists({ responses: plan.responses }),
  };
}

/** What the rows look like. The columns of images are all alike, and very many. */
function aboutColumns(study: Study, plan: PredictionPlan): Metadata {
  const columns = codedColumns(plan);
  const images = imagesOf(study);
  if (images !== undefined && areThePixels(columns, images)) {
    return { images: JSON.stringify(images) };
  }
  return {
    codebook: JSON.stringify(tableStudy(study).codebook),
    ...lists({ columns: columns.map(({ name }) => name) }),
  };
}

function lists(texts: Readonly<Record<string, readonly string[]>>): Metadata {
  return Object.fromEntries(
    Object.entries(texts).map(([key, list]) => [key, JSON.stringify(list)]),
  );
}

/** R's model matrix without the intercept, computed inside the graph from the table's columns. */
function designMatrix(graph: OnnxGraph, plan: PredictionPlan, { codebook }: TableStudy): string {
  for (const { name, type } of plan.inputs) {
    graph.input(name, type === 'number' ? 'number' : 'text', 1);
  }
  const writer = nodeWriter(graph);
  return graph.beside(codedColumns(plan).map((column) => writeColumn(column, codebook, writer)));
}

/**
 * NaN in rows with a missing number or an unknown level. Without this, comparisons would hide a missing number, and an
 * unknown level would count as the baseline.
 */
function guarded(
  graph: OnnxGraph,
  plan: PredictionPlan,
  prediction: string,
  { codebook }: TableStudy,
): string {
  const nan = graph.numbers([Number.NaN], [1]);
  const numbers = plan.inputs
    .filter(({ type }) => type === 'number')
    .reduce(
      (value, { name }) => graph.apply('Where', graph.apply('IsNaN', name), nan, value),
      prediction,
    );
  const known = plan.categories.reduce(
    (value, category) => graph.apply('Where', isKnown(graph, category), value, nan),
    numbers,
  );
  const writer = nodeWriter(graph);
  return plan.guards.reduce((value, guard) => {
    const inside = writeArithmetic(guard, codebook, writer);
    const isOutside = graph.apply('Equal', inside, graph.numbers([0], [1]));
    return graph.apply('Where', isOutside, nan, value);
  }, known);
}

function isKnown(graph: OnnxGraph, { column, levels, codes }: Category): string {
  return levels
    .map((level, k) => (codes === undefined ? graph.text(level) : graph.numbers([codes[k]!], [1])))
    .map((level) => graph.apply('Equal', column, level))
    .reduce((either, other) => graph.apply('Or', either, other));
}

/** The prediction within the public range, where there is one: Clip of doubles is not in every runtime, Where is. */
function capped(graph: OnnxGraph, { cap }: PredictionPlan, prediction: string): string {
  if (cap === undefined) return prediction;
  const [low, high] = cap.map((bound) => graph.numbers([bound], [1])) as [string, string];
  const raised = graph.apply('Where', graph.apply('Less', prediction, low), low, prediction);
  return graph.apply('Where', graph.apply('Greater', raised, high), high, raised);
}

/** 1/(1 + e⁻ˣ): not every runtime has Sigmoid for doubles. */
function logistic(graph: OnnxGraph, link: string): string {
  const one = graph.numbers([1], [1]);
  const odds = graph.apply('Exp', graph.apply('Neg', link));
  return graph.apply('Div', one, graph.apply('Add', one, odds));
}

const operators = { '+': 'Add', '-': 'Sub', '*': 'Mul', '/': 'Div' } as const;
const functions = {
  abs: 'Abs',
  ceiling: 'Ceil',
  exp: 'Exp',
  floor: 'Floor',
  log: 'Log',
  sqrt: 'Sqrt',
} as const;
const comparisons = {
  '<': 'Less',
  '<=': 'LessOrEqual',
  '>': 'Greater',
  '>=': 'GreaterOrEqual',
  '==': 'Equal',
} as const;

/** Arithmetic as nodes of the graph: what is written is the name of a value [N, 1]. */
function nodeWriter(graph: OnnxGraph): ArithmeticWriter<string> {
  const number = (value: number) => graph.numbers([value], [1]);
  return {
    number,
    column: (name) => name,
    negative: (operand) => graph.apply('Neg', operand),
    operate: (operator, left, right) => graph.apply(operators[operator], left, right),
    power: (base, exponent) => graph.apply('Pow', base, number(exponent)),
    call(name, argument) {
      if (name === 'log1p') {
        return graph.apply('Log', graph.apply('Add', argument, number(1)));
      }
      if (name === 'expm1') {
        return graph.apply('Sub', graph.apply('Exp', argument), number(1));
      }
      if (name !== 'log2' && name !== 'log10') return graph.apply(functions[name], argument);
      const base = name === 'log2' ? Math.LN2 : Math.LN10;
      return graph.apply('Div', graph.apply('Log', argument), number(base));
    },
    compare(operator, left, right) {
      if (operator !== '!=') {
        return graph.asNumbers(graph.apply(comparisons[operator], left, right));
      }
      const equal = graph.asNumbers(graph.apply('Equal', left, right));
      return graph.apply('Sub', number(1), equal);
    },
    atLevel: (column, level) => graph.asNumbers(graph.apply('Equal', column, graph.text(level))),
    choose: (test, yes, no) => graph.apply('Where', graph.apply('Equal', test, number(0)), no, yes),
    least: (left, right) => graph.apply('Where', graph.apply('Less', right, left), right, left),
    greatest: (left, right) =>
      graph.apply('Where', graph.apply('Greater', right, left), right, left),
    round(argument, decimals) {
      const power = number(Number(`1e${Math.abs(decimals)}`));
      const [there, back] = decimals < 0 ? (['Div', 'Mul'] as const) : (['Mul', 'Div'] as const);
      return graph.apply(back, graph.apply('Round', graph.apply(there, argument, power)), power);
    },
  };
}
