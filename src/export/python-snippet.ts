import type { ArithmeticWriter, ElementaryFunction } from '../features/arithmetic-writer.ts';
import type { MapFunction } from '../features/map-writer.ts';
import { tableStudy } from '../study/table-study.ts';
import type { ExportedModel } from './exported-model.ts';
import { type MapLanguage, mapLines } from './map-lines.ts';
import { type PlannedClasses, type PredictionPlan, predictionPlan } from './prediction-plan.ts';
import { comment, finiteOnly, quoted, snippetHeading } from './snippet-text.ts';
import { writeArithmetic, writeColumn } from './write-arithmetic.ts';

/**
 * Python code that defines `predict_suffice(data)`, where data is a pandas DataFrame or a dict of columns: a list, or
 * with several responses a dict of lists. In a logistic or Poisson regression it returns the mean, or the linear
 * predictor with kind="link". For a category also `classify_suffice(data)`: a dict of `class`, a list, and `probability`, a
 * dict of lists by level. Needs the standard library only; pure ASCII except in comments.
 */
export function pythonSnippet(model: ExportedModel): string {
  const plan = predictionPlan(model);
  const { family } = model.report;
  const several = plan.responses.length > 1;
  const writer = writerFor(plan);
  const { codebook } = tableStudy(model.study);
  const map = plan.mapped === undefined ? undefined : mapLines(plan.mapped, mapLanguage);
  const mapInputs = (plan.mapped?.inputs ?? []).map((column) => {
    const { center, scale } = column.unit;
    return `(${writeColumn(column, codebook, writer)} - ${number(center)}) / ${number(scale)}`;
  });
  return [
    ...snippetHeading(model),
    'import math',
    '',
    '',
    ...(map === undefined ? [] : [...mapFunctions, ...map.matrices, '', '']),
    ...cellReaders(plan),
    `def predict_suffice(data${family === undefined ? '' : ', kind="response"'}):`,
    `    names = ${list(plan.inputs.map(({ name }) => quoted(name)))}`,
    '    columns = [list(data[name]) for name in names]',
    '    first = next(iter(data.values()), []) if isinstance(data, dict) else data',
    '    rows = zip(*columns) if columns else [()] * len(first)',
    '    links = []',
    '    for row in rows:',
    `        cells = ${list(plan.inputs.map((_, k) => `_read_${k}(row[${k}])`))}`,
    '        if any(cell is None for cell in cells):',
    `            links.append([math.nan] * ${plan.responses.length})`,
    '            continue',
    ...(plan.inputs.length === 0
      ? []
      : [
          `        ${plan.inputs.map((_, k) => `v${k}`).join(', ')}${plan.inputs.length === 1 ? ',' : ''} = cells`,
        ]),
    ...plan.guards.flatMap((guard) => [
      `        if ${writeArithmetic(guard, codebook, writer)} == 0:`,
      `            links.append([math.nan] * ${plan.responses.length})`,
      '            continue',
    ]),
    ...plan.responses.map((_, k) => `        y${k} = ${number(plan.intercept[k]!)}`),
    ...plan.columns.flatMap((column) => [
      `        ${comment(column.name)}`,
      `        z = ${writeColumn(column, codebook, writer)}`,
      ...column.estimates.map((estimate, k) => `        y${k} += ${number(estimate)} * z`),
    ]),
    ...(map === undefined
      ? []
      : [
          `        x = ${list(mapInputs)}`,
          ...map.lines.map((line) => `        ${line}`),
          ...plan.responses.map((_, k) => `        y${k} += ${map.link}[${k}]`),
        ]),
    `        links.append(${list(plan.responses.map((_, k) => cappedSum(`y${k}`, plan)))})`,
    ...(family === undefined
      ? []
      : [
          '    if kind == "response":',
          `        links = [[${mean(family)} for v in row] for row in links]`,
        ]),
    several
      ? `    return {name: [row[k] for row in links] for k, name in enumerate(${list(plan.responses.map(quoted))})}`
      : '    return [row[0] for row in links]',
    '',
    ...(plan.classes === undefined ? [] : classifier(plan.classes)),
  ].join('\n');
}

/** A function for the class of each row, and the probabilities of all levels. */
function classifier({ levels, constants, weights }: PlannedClasses): string[] {
  const rows = weights.map((own) => list(own.map(number)));
  return [
    '',
    'def classify_suffice(data):',
    '    fitted = predict_suffice(data)',
    '    columns = list(fitted.values()) if isinstance(fitted, dict) else [fitted]',
    `    levels = ${list(levels.map(quoted))}`,
    `    constants = ${list(constants.map(number))}`,
    `    weights = ${list(rows)}`,
    '    classes, shares = [], []',
    '    for row in zip(*columns):',
    '        if any(value != value for value in row):',
    '            classes.append(None)',
    '            shares.append([math.nan] * len(levels))',
    '            continue',
    '        scores = [c + sum(w * v for w, v in zip(own, row)) for c, own in zip(constants, weights)]',
    '        parts = [math.exp(score - max(scores)) for score in scores]',
    '        shares.append([part / sum(parts) for part in parts])',
    '        classes.append(levels[parts.index(max(parts))])',
    '    probability = {level: [share[k] for share in shares] for k, level in enumerate(levels)}',
    '    return {"class": classes, "probability": probability}',
    '',
  ];
}

/** The sum, capped to the public range where there is one; NaN stays NaN. */
function cappedSum(sum: string, { cap }: PredictionPlan): string {
  return cap === undefined ? sum : `min(max(${sum}, ${number(cap[0])}), ${number(cap[1])})`;
}

function mean(family: 'binomial' | 'poisson'): string {
  if (family === 'poisson') return 'math.exp(v)';
  return '(1 / (1 + math.exp(-v)) if v > 0 else math.exp(v) / (1 + math.exp(v)))';
}

/** One function per column: the cell as the model needs it, or None where it is missing. */
function cellReaders({ inputs, categories }: PredictionPlan): string[] {
  return inputs.flatMap(({ name, type, missing }, k) => {
    const category = categories.find(({ column }) => column === name);
    const levels =
      category === undefined
        ? undefined
        : (category.codes?.map(number) ?? category.levels.map(quoted));
    return [
      `def _read_${k}(cell):  ${comment(name)}`,
      '    if cell is None or cell != cell:',
      '        return None',
      ...(type === 'category'
        ? [
            '    cell = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)',
            `    if cell in ${list(missing.map(quoted))}:`,
            '        return None',
          ]
        : ['    cell = float(cell)']),
      ...(levels === undefined
        ? []
        : [
            `    if cell not in ${list(levels)}:`,
            `        raise ValueError(${quoted(`${name} has a level the model does not know`)})`,
          ]),
      '    return cell',
      '',
      '',
    ];
  });
}

const functions: Readonly<Record<ElementaryFunction, string>> = {
  abs: 'abs',
  ceiling: 'math.ceil',
  exp: 'math.exp',
  expm1: 'math.expm1',
  floor: 'math.floor',
  log: 'math.log',
  log10: 'math.log10',
  log1p: 'math.log1p',
  log2: 'math.log2',
  sqrt: 'math.sqrt',
};

const mapFunctions = [
  'def _affine(x, w, c):',
  '    return [start + math.fsum(v * row[j] for v, row in zip(x, w)) for j, start in enumerate(c[0])]',
  '',
  '',
];

/** A row of a feature map, as lists of numbers. */
const mapLanguage: MapLanguage = {
  name: 'Python code',
  inputs: 'x',
  matrix: (name, rows) => `${name} = ${list(rows.map((row) => list(row.map(number))))}`,
  affine: (of, matrix, constant) => `_affine(${of}, ${matrix}, ${constant})`,
  call: (name, of) => `[${entry(name)} for v in ${of}]`,
  scale: (of, factor) => `[${number(factor)} * v for v in ${of}]`,
  standardise: (of, centers, scales) =>
    `[(v - c) / s for v, c, s in zip(${of}, ${centers}[0], ${scales}[0])]`,
  add: (left, right) => `[a + b for a, b in zip(${left}, ${right})]`,
  multiply: (left, right) => `[a * b for a, b in zip(${left}, ${right})]`,
  beside: (parts) => parts.join(' + '),
  assign: (name, value) => `${name} = ${value}`,
};

function entry(name: MapFunction): string {
  if (name === 'relu') return 'max(v, 0.0)';
  if (name === 'step') return 'float(v > 0)';
  return name === 'abs' ? 'abs(v)' : `math.${name}(v)`;
}

function writerFor({ inputs }: PredictionPlan): ArithmeticWriter<string> {
  const places = new Map(inputs.map(({ name }, k) => [name, `v${k}`]));
  const place = (name: string) => places.get(name)!;
  return {
    number,
    column: place,
    negative: (operand) => `(-${operand})`,
    operate: (operator, left, right) => `(${left} ${operator} ${right})`,
    power: (base, exponent) => `math.pow(${base}, ${number(exponent)})`,
    call: (name, argument) => `${functions[name]}(${argument})`,
    compare: (operator, left, right) => `float(${left} ${operator} ${right})`,
    atLevel: (column, level) => `float(${place(column)} == ${quoted(level)})`,
    choose: (test, yes, no) => `(${yes} if ${test} != 0 else ${no})`,
    least: (left, right) => `min(${left}, ${right})`,
    greatest: (left, right) => `max(${left}, ${right})`,
    round: (argument, decimals) => `float(round(${argument}, ${decimals}))`,
  };
}

function list(items: readonly string[]): string {
  return `[${items.join(', ')}]`;
}

/** Always a float, so that division and power never use integers. */
function number(value: number): string {
  const digits = Object.is(value, -0) ? '-0' : String(finiteOnly(value));
  const float = /[.e]/.test(digits) ? digits : `${digits}.0`;
  return digits.startsWith('-') ? `(${float})` : float;
}
