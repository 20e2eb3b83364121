import { grouped, listed } from '../text/number-text.ts';
import { type Formula, FormulaError } from './formula.ts';
import { callArguments } from './formula-arguments.ts';
import {
  type CallExpression,
  deparse,
  type Expression,
  expressionColumns,
  summands,
  visit,
} from './formula-expression.ts';
import { lowered } from './formula-lower.ts';
import { givesOf } from './formula-signatures.ts';
import { nearNames } from './near-names.ts';

/** One thing that varies in a formula: a column, a factor() of one, or arithmetic on some. */
export interface Variable {
  /** As R deparses it: `x`, `I(x^2)`, `factor(cp)`. */
  readonly label: string;
  /** As the formula has it. */
  readonly written: Expression;
  /** The same in fewer words: see `lowered`. */
  readonly expression: Expression;
}

/** A term is a set of variables whose product it is. */
export interface Term {
  /** Labels of its variables joined by ":". */
  readonly label: string;
  /** Ascending indices into `variables`. */
  readonly variables: readonly number[];
}

/** A formula as R's `terms()` expands it, in R's order. */
export interface ExpandedFormula {
  readonly responseLabel: string;
  readonly responses: readonly Variable[];
  /** The variables in the terms, in order of appearance. */
  readonly variables: readonly Variable[];
  /** Without duplicates; lower degrees first, then by appearance. */
  readonly terms: readonly Term[];
  readonly intercept: boolean;
  /**
   * What offset() names: numbers that the linear predictor adds as they are, a term with the coefficient 1. Labels are
   * `offset(z)`, expressions are what is inside.
   */
  readonly offsets: readonly Variable[];
}

/** Expands the right side over the codebook's column names; throws for a name that is not one of them. */
export function expandFormula(formula: Formula, columns: readonly string[]): ExpandedFormula {
  refuseUnknownNames(formula, columns);
  const responses = formula.responses.map((expression) => variable(expression));
  const { variables: written, products, intercept, offsets } = expandRight(formula, columns);
  const used = union(products);
  const variables = used.map((index) => written[index]!);
  const places = new Map(used.map((index, place) => [index, place]));
  const terms = [...products]
    .sort((a, b) => a.length - b.length)
    .map((product) => ({
      label: product.map((index) => written[index]!.label).join(':'),
      variables: product.map((index) => places.get(index)!),
    }));
  for (const { label } of responses) {
    if (!terms.some((term) => term.label === label)) continue;
    const problem = `${label} is the response and cannot explain itself`;
    const position = positionOf(label, formula.right);
    throw new FormulaError(problem, formula.text, position, 'remove it from the right side');
  }
  const { responseLabel } = formula;
  return { responseLabel, responses, variables, terms, intercept, offsets };
}

type Product = readonly number[];

/** Limits for formulas from outside: `.^9` over many columns would never end. */
const MOST_TERMS = 10_000;
/** Pairs of terms that are crossed in the whole formula, doubles included. */
const MOST_CROSSINGS = 100_000;
/** Variables in one term. */
const HIGHEST_ORDER = 32;

interface Right extends Pick<ExpandedFormula, 'offsets'> {
  readonly variables: readonly Variable[];
  readonly products: readonly Product[];
  readonly intercept: boolean;
}

/** The algebra of R's TermCode (src/library/stats/src/model.c): lists of variable sets. */
function expandRight(formula: Formula, columns: readonly string[]): Right {
  const response = new Set(formula.responses.flatMap(expressionColumns));
  const variables: Variable[] = [];
  const places = new Map<string, number>();
  const offsets = new Map<string, Variable>();
  let intercept = true;
  let crossings = 0;

  function install(expression: Expression): Product {
    const made = variable(expression);
    let place = places.get(made.label);
    if (place === undefined) {
      place = variables.push(made) - 1;
      places.set(made.label, place);
    }
    return [place];
  }

  function expand(expression: Expression, adding: boolean): readonly Product[] {
    const parts = summands(expression);
    if (parts.length === 1) return expandOne(expression, adding);
    const sum = new Map<string, Product>();
    for (const { operator, operand } of parts) {
      for (const product of expand(operand, operator === '+' ? adding : !adding)) {
        if (operator === '-') sum.delete(String(product));
        else if (!sum.has(String(product))) sum.set(String(product), product);
      }
    }
    checkTerms(sum.size, expression.position);
    return [...sum.values()];
  }

  function expandOne(expression: Expression, adding: boolean): readonly Product[] {
    switch (expression.kind) {
      case 'number':
        intercept = (expression.value === 1) === adding;
        return [];
      case 'text':
      case 'word':
      case 'piecewise':
        throw new RangeError(`not a term: ${deparse(expression)}`);
      case 'call':
        if (givesOf(expression) === 'offset') {
          offsets.set(deparse(expression), offset(expression));
          return [];
        }
        return [install(expression)];
      case 'name':
        return [install(expression)];
      case 'dot': {
        const { position } = expression;
        const others = columns.filter((name) => !response.has(name));
        checkTerms(others.length, position);
        return others.map((name) => install({ kind: 'name', name, position }));
      }
      case 'group':
        return expand(expression.inner, adding);
      case 'sign':
        if (expression.operator === '+') return expand(expression.operand, adding);
        expand(expression.operand, !adding);
        return [];
      case 'binary':
        return combine(expression, adding);
    }
  }

  function combine(node: Expression & { kind: 'binary' }, adding: boolean): readonly Product[] {
    const left = expand(node.left, adding);
    if (node.operator === '^') return power(left, node);
    const right = expand(node.right, adding);
    const { position } = node;
    switch (node.operator) {
      case ':':
        return cross(left, right, position);
      case '*':
        return joined([...left, ...right, ...cross(left, right, position)], position);
      case '/':
        return joined([...left, ...cross(wholeOf(left), right, position)], position);
      case '%in%':
        return cross(left, wholeOf(right), position);
      default:
        throw new RangeError(`"${node.operator}" does not cross terms`);
    }
  }

  function power(
    base: readonly Product[],
    node: Expression & { kind: 'binary' },
  ): readonly Product[] {
    let result = base;
    const degree = node.right.kind === 'number' ? node.right.value : 1;
    for (let i = 1; i < degree; i++) {
      const next = cross(base, result, node.position);
      if (next.join(';') === result.join(';')) break;
      result = next;
    }
    return result;
  }

  /** Every product of a left and a right one; counted before they are made. */
  function cross(
    left: readonly Product[],
    right: readonly Product[],
    position: number,
  ): readonly Product[] {
    if (left.length === 0 || right.length === 0) {
      const remedy = 'cross columns with columns; 0 and 1 stand alone: y ~ x - 1';
      throw new FormulaError('one side has no terms to cross', formula.text, position, remedy);
    }
    crossings += left.length * right.length;
    if (crossings > MOST_CROSSINGS) {
      throw tooMuch(
        `crossing ${grouped(left.length)} terms with ${grouped(right.length)} is too much`,
        position,
      );
    }
    const products = left.flatMap((l) =>
      right.map((r) => {
        const product = merged(l, r);
        checkOrder(product.length, position);
        return product;
      }),
    );
    return joined(products, position);
  }

  function joined(products: readonly Product[], position: number): readonly Product[] {
    const different = distinct(products);
    checkTerms(different.length, position);
    return different;
  }

  function checkTerms(count: number, position: number): void {
    if (count <= MOST_TERMS) return;
    const most = grouped(MOST_TERMS);
    throw tooMuch(
      `the formula has ${grouped(count)} terms and more, which is too much: at most ${most} are possible`,
      position,
    );
  }

  function checkOrder(count: number, position: number): void {
    if (count <= HIGHEST_ORDER) return;
    throw tooMuch(
      `a term of ${grouped(count)} variables is too much: at most ${HIGHEST_ORDER} are possible`,
      position,
    );
  }

  function tooMuch(problem: string, position: number): FormulaError {
    return new FormulaError(problem, formula.text, position, 'name the interactions that matter');
  }

  // R numbers the response first: in a term that crosses it, its label comes first.
  if (formula.responses.length === 1) install(formula.responses[0]!);
  const products = expand(formula.right, true);
  return { variables, products, intercept, offsets: [...offsets.values()] };
}

/** The product of all, as a list of one; none where there are none. */
function wholeOf(products: readonly Product[]): readonly Product[] {
  return products.length === 0 ? [] : [union(products)];
}

/** The variables of both, in order: what `union` gives for two, faster. */
function merged(left: Product, right: Product): Product {
  const both: number[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const [l, r] = [left[i]!, right[j]!];
    both.push(Math.min(l, r));
    if (l <= r) i++;
    if (r <= l) j++;
  }
  return both.concat(left.slice(i), right.slice(j));
}

function union(products: readonly Product[]): Product {
  return [...new Set(products.flat())].sort((a, b) => a - b);
}

function distinct(products: readonly Product[]): readonly Product[] {
  return [...new Map(products.map((product) => [String(product), product])).values()];
}

function offset(call: CallExpression): Variable {
  return { ...variable(callArguments(call).need('object')), label: deparse(call) };
}

function variable(expression: Expression): Variable {
  return { label: deparse(expression), written: expression, expression: lowered(expression) };
}

/** Refuses a name in the formula that is none of the columns. */
export function refuseUnknownNames(formula: Formula, columns: readonly string[]): void {
  for (const side of [...formula.responses, formula.right]) checkNames(formula, side, columns);
}

function checkNames(formula: Formula, side: Expression, columns: readonly string[]): void {
  const known = new Set(columns);
  visit(side, (node) => {
    if (node.kind !== 'name' || known.has(node.name)) return;
    const near = nearNames(node.name, columns);
    const remedy =
      near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are ${listed(columns, 30)}`;
    throw new FormulaError(`no column "${node.name}"`, formula.text, node.position, remedy);
  });
}

function positionOf(label: string, side: Expression): number {
  let { position } = side;
  visit(side, (node) => {
    if ((node.kind === 'name' || node.kind === 'call') && deparse(node) === label)
      position = node.position;
  });
  return position;
}
