import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import { type Formula, FormulaError } from '../study/formula.ts';
import { type Expression, expressionColumns } from '../study/formula-expression.ts';
import { expandFormula } from '../study/formula-terms.ts';
import type { ImageShape } from '../study/study.ts';
import { usableColumns } from '../study/usable-columns.ts';
import type { Block, Origin } from '../table/columns.ts';
import {
  type AnyCategory,
  type BoundVariable,
  isCategory,
  type NumberVariable,
} from './bound-variable.ts';
import { createEvaluation } from './evaluation.ts';
import type { FeatureTerms, FeatureText } from './feature-text.ts';
import { hull, type Interval, multiplyIntervals, pointInterval } from './interval.ts';
import type { MapWriter } from './map-writer.ts';
import { refuseTooWide } from './most-columns.ts';
import { bindOffsets, type Offsets, withoutOffsets } from './offsets.ts';
import {
  CAUTIOUS_UNITS,
  centredUnit,
  indicatorUnit,
  originUnit,
  type PublicUnit,
  plainUnit,
  USUAL_UNITS,
} from './public-unit.ts';
import {
  centeredReference,
  isFramable,
  originReference,
  type Reference,
  unitReference,
} from './reference.ts';
import {
  type Coding,
  codeTerms,
  type NumberFactor,
  type TermColumn,
  variableColumns,
} from './terms.ts';
import { bindVariable } from './variables.ts';

/** One column of z. */
export interface DesignColumn {
  /** R's coefficient name: `(Intercept)`, `sexmale`, `x:sexmale`, `factor(cp)2`. */
  readonly name: string;
  /** Label of the term it belongs to. */
  readonly term: string;
  /** Its origin: the formula's constant, one of its terms, `.site`, a feature map, or the left side. */
  readonly origin: 'intercept' | 'term' | 'site' | 'mapped' | 'response';
  readonly reference: Reference;
  /** Its unit in a private row. */
  readonly publicUnit: PublicUnit;
  /** All values it can take. */
  readonly interval: Interval;
}

/** Turns a row of a table into a row z of the model: R's model matrix, followed by the responses. */
export interface Design extends Offsets {
  readonly formula: string;
  readonly codebook: Codebook;
  /** Codebook columns that a row must have, in the order of a block's columns. */
  readonly variables: readonly string[];
  /** z = (1, x…, y…): the intercept if there is one, the terms' columns, the responses. */
  readonly columns: readonly DesignColumn[];
  readonly intercept: boolean;
  /** Number of responses, which are the last columns. */
  readonly responses: number;
  /** The responses that are categories or comparisons, with the response columns of their levels. */
  readonly classes: readonly ResponseClasses[];
  /** The terms in R's order, with the indices of their columns; the intercept is not a term. */
  readonly terms: readonly { readonly label: string; readonly columns: readonly number[] }[];
  /**
   * Fills `hi`, and `lo` where given, with the columns' values: value = hi + lo. Rows must have no
   * missing cell. Throws DataError naming the file and row that has no value.
   */
  evaluate(
    block: Block,
    origin: Origin,
    hi: readonly Float64Array[],
    lo: readonly (Float64Array | undefined)[],
  ): void;
  /** Columns whose exact value may need two doubles: computed terms and products of numbers. */
  readonly needsLow: readonly boolean[];
  /** How a row becomes `columns`, for writers of other languages; absent where a map or a restriction has changed them. */
  readonly recipe?: DesignRecipe;
  /** If the predictors are the pixels of images: the form of an image. */
  readonly image?: ImageShape;
  /** If a feature map made the predictors: from which design. */
  readonly mapped?: MappedDesign;
}

/** The columns of a design as products of variables: what `evaluate` computes. */
export interface DesignRecipe {
  readonly columns: readonly TermColumn[];
  readonly variables: readonly {
    readonly expression: Expression;
    readonly bound: BoundVariable;
  }[];
}

/** The original of a mapped design, and its map. */
export interface MappedDesign {
  /** The formula's own design. */
  readonly from: Design;
  /** Indices of the columns of `from` that are mapped. */
  readonly columns: readonly number[];
  readonly map: FeatureText;
  readonly terms: FeatureTerms;
  /**
   * If the map is linear: mapped column j is Σᵢ weights[i][j]·uᵢ, uᵢ in its public unit; row-major, a row for each of
   * `columns`. A function, because the matrix may be large and designs are kept. If absent, a model of the mapped columns
   * cannot be written as one of the formula's columns.
   */
  weights?(): Float64Array;
  /** Labels of terms of which a model keeps one, because they are one map with different settings. */
  readonly alternatives?: readonly string[];
  /** If the map is not linear: its arithmetic, for other programs; absent if they cannot have it. */
  write?<Matrix>(writer: MapWriter<Matrix>): Matrix;
}

/** A category or a comparison on the left side: 0/1 columns among the responses. */
export interface ResponseClasses {
  /** The response as R deparses it: `species`, `factor(cp)`. */
  readonly label: string;
  /** The baseline first. */
  readonly levels: readonly string[];
  /** Indices of responses: one for each level, or only that of the second level. */
  readonly columns: readonly number[];
}

export interface DesignOptions {
  /**
   * How a category is coded on the left side: an indicator for every level (the default), or one indicator for the second of
   * two levels.
   */
  readonly responses?: 'indicators' | 'indicator';
  /** How categories are coded on the right side; by treatment contrasts unless given. */
  readonly coding?: Coding;
  /**
   * What becomes of offset(): `subtracted` from the response, which is the same model under an identity link (the default),
   * or left `apart`, for methods that add it to the linear predictor themselves.
   */
  readonly offsets?: 'subtracted' | 'apart';
}

/** The design of a formula over a codebook; every site derives the same one, to the last bit. */
export function createDesign(
  formula: Formula,
  codebook: Codebook,
  options: DesignOptions = {},
): Design {
  const expanded = expandFormula(formula, usableColumns(formula, codebook));
  const { intercept, terms, offsets } = expanded;
  const responses = options.offsets === 'apart' ? expanded.responses : withoutOffsets(expanded);
  if (terms.length === 0 && !intercept) {
    const { position } = formula.right;
    throw new FormulaError('the formula has no terms', formula.text, position, 'add one: y ~ x');
  }
  const written = [...expanded.variables, ...responses];
  const variables = [
    ...new Set(
      [...responses, ...written, ...offsets].flatMap((v) => expressionColumns(v.expression)),
    ),
  ];
  const places = new Map(variables.map((name, place) => [name, place]));
  const bound = written.map((variable) => bindVariable(variable, formula, codebook, places));
  const columnsOf = variableColumns(bound);
  const added = bindOffsets(offsets, formula, codebook, places);
  const answered = bound.slice(expanded.variables.length);
  const targetCount = answered.reduce(
    (count, variable) => count + (isWhole(variable) ? variable.levels.length : 1),
    0,
  );
  refuseTooWide(formula, expanded, columnsOf, targetCount, options.coding);
  const coded = codeTerms(expanded, columnsOf, options.coding);
  const targets = responses.map(({ label, expression }, index) => {
    const place = expanded.variables.length + index;
    const variable = bound[place]!;
    if (variable.kind === 'columns') {
      const problem = `the response ${label} has several columns`;
      throw new FormulaError(problem, formula.text, expression.position, 'name one number');
    }
    if (isCategory(variable) && !isWhole(variable)) {
      const { levels } = variable;
      return { columns: [indicator(label, place, 1)], classes: { label, levels } };
    }
    if (!isCategory(variable)) {
      return { columns: [product(label, [{ variable: place, part: 0 }])] };
    }
    const { levels } = variable;
    const single = options.responses === 'indicator';
    if (single && levels.length > 2) {
      const problem = `the response ${label} has ${levels.length} levels; two are needed here`;
      const remedy = `ask for one of them: I(${expressionColumns(expression)[0]} == "${levels[1]}")`;
      throw new FormulaError(problem, formula.text, expression.position, remedy);
    }
    const indicated = single ? [1] : [...levels.keys()];
    return {
      columns: indicated.map((level) => indicator(label + levels[level]!, place, level)),
      classes: { label, levels },
    };
  });
  const answers = targets.flatMap(({ columns }) => columns);
  const products: readonly TermColumn[] = [
    ...(intercept ? [product('(Intercept)', [])] : []),
    ...coded,
    ...answers,
  ];
  const intervalOf = (column: TermColumn): Interval => {
    if (column.numbers.length > 0) return columnInterval(column, bound, formula);
    return column.indicators.length > 0 ? { low: 0, high: 1 } : pointInterval(1);
  };
  const referenceOf = (column: TermColumn, interval: Interval): Reference => {
    if (column.numbers.length === 0) return unitReference;
    if (!intercept) return originReference(interval);
    return numberAlone(column, bound)?.stated ?? centeredReference(interval);
  };
  const publicUnitOf = (column: TermColumn, interval: Interval): PublicUnit => {
    if (column.numbers.length === 0) {
      return intercept && column.indicators.length > 0 ? indicatorUnit : plainUnit;
    }
    const unitOf = intercept ? centredUnit : originUnit;
    const guess = numberAlone(column, bound)?.guess ?? {};
    const unsure = answers.includes(column) && guess.center === undefined;
    const parts = unsure ? CAUTIOUS_UNITS : USUAL_UNITS;
    return unitOf(interval, guess, parts);
  };
  const originOf = (index: number): DesignColumn['origin'] => {
    if (intercept && index === 0) return 'intercept';
    if (index >= products.length - answers.length) return 'response';
    return products[index].term === SITE_COLUMN ? 'site' : 'term';
  };
  const termColumns = new Map(terms.map(({ label }) => [label, [] as number[]]));
  products.forEach(({ term }, index) => {
    if (index < products.length - answers.length) termColumns.get(term)?.push(index);
  });
  return {
    formula: formula.text,
    codebook,
    variables,
    columns: products.map((column, index) => {
      const interval = intervalOf(column);
      return {
        name: column.name,
        term: column.term,
        origin: originOf(index),
        reference: referenceOf(column, interval),
        publicUnit: publicUnitOf(column, interval),
        interval,
      };
    }),
    intercept,
    responses: answers.length,
    classes: targets.flatMap(({ columns, classes }) =>
      classes === undefined
        ? []
        : [{ ...classes, columns: columns.map((column) => answers.indexOf(column)) }],
    ),
    terms: terms.map(({ label }) => ({ label, columns: termColumns.get(label)! })),
    evaluate: createEvaluation(products, bound, responses.length),
    ...added,
    recipe: {
      columns: products,
      variables: bound.map((one, k) => ({ expression: written[k]!.expression, bound: one })),
    },
    needsLow: products.map(
      ({ numbers }) =>
        numbers.length > 1 ||
        numbers.some(({ variable }) => ['computed', 'columns'].includes(bound[variable]!.kind)),
    ),
  };
}

/** Whether a response has a column for every level; a comparison has one. */
function isWhole(variable: BoundVariable): variable is AnyCategory {
  return isCategory(variable) && !(variable.kind === 'coded' && variable.isLogical === true);
}

function product(name: string, numbers: readonly NumberFactor[]): TermColumn {
  return { name, term: name, numbers, indicators: [] };
}

function indicator(name: string, variable: number, level: number): TermColumn {
  return { name, term: name, numbers: [], indicators: [{ variable, level }] };
}

/** The number column, if the term is just that column; the codebook may say more about it. */
function numberAlone(
  column: TermColumn,
  bound: readonly BoundVariable[],
): NumberVariable | undefined {
  if (column.numbers.length !== 1 || column.indicators.length > 0) return undefined;
  const variable = bound[column.numbers[0]!.variable]!;
  return variable.kind === 'number' ? variable : undefined;
}

/** All possible values of the column. */
function columnInterval(
  { name, term, numbers, indicators }: TermColumn,
  bound: readonly BoundVariable[],
  formula: Formula,
): Interval {
  const product = numbers
    .map(({ variable, part }) => variableInterval(bound[variable]!, part))
    .reduce(multiplyIntervals);
  const interval = indicators.length > 0 ? hull(product, pointInterval(0)) : product;
  if (isFramable(interval)) return interval;
  const remedy = `narrow the ranges in the codebook, or leave out ${term}`;
  const { position } = formula.right;
  throw new FormulaError(`${name} can become too large to hold`, formula.text, position, remedy);
}

function variableInterval(variable: BoundVariable, part: number): Interval {
  if (variable.kind === 'columns') return variable.parts[part]!.interval;
  if (!isCategory(variable)) return variable.interval;
  return (variable.contrasts?.[part]?.values ?? []).map(pointInterval).reduce(hull);
}
