import type { Codebook } from '../study/codebook.ts';
import { parseFormula } from '../study/formula.ts';
import { listedValues } from '../study/formula-constants.ts';
import {
  deparse,
  type Expression,
  isComparison,
  isLogical,
  levelTest,
  visit,
} from '../study/formula-expression.ts';
import { lowered } from '../study/formula-lower.ts';
import { argumentPlaces, givesOf, signatureOf } from '../study/formula-signatures.ts';
import { expandFormula } from '../study/formula-terms.ts';
import { usableColumns } from '../study/usable-columns.ts';
import { compileArithmetic, constantValue } from './arithmetic.ts';
import type { Evaluator } from './evaluator.ts';
import { numberFunction } from './number-functions.ts';
import { bare, levelCode } from './variables.ts';

/** A part of an expression that depends on the row. Its size can set it apart from the rest of the column. */
export interface ExpressionPart extends PartTraits {
  readonly name: string;
  readonly expression: Expression;
  readonly evaluate: Evaluator;
}

/** What a part can do. */
export interface PartTraits {
  /** It has a comparison, or is one. */
  readonly compares: boolean;
  /** It can be large in a few rows: by a comparison, a power, abs(), exp() or a division by a column. */
  readonly selects: boolean;
  /** It is a column that a comparison inside arithmetic looks at. */
  readonly compared: boolean;
}

/** A sum or a difference inside an expression: the indices of its parts, or a constant's size. */
export interface PartSum {
  readonly sides: readonly [Summand, Summand];
}

export type Summand = { readonly part: number } | { readonly constant: number };

export interface ExpressionParts {
  readonly parts: readonly ExpressionPart[];
  readonly sums: readonly PartSum[];
  /** Expressions with too many columns to look at each part. */
  readonly tooLong: readonly string[];
}

/** Most columns in an expression whose parts are looked at, each as often as it occurs. */
const MOST_LEAVES = 200;

/**
 * The parts of a formula's expressions over two or more columns, or over one that occurs twice; `variables` are the columns of
 * a block. A function of one column alone has no parts: it is a column like any other.
 */
export function expressionParts(
  formula: string,
  codebook: Codebook,
  variables: readonly string[],
): ExpressionParts {
  const parsed = parseFormula(formula);
  const expanded = expandFormula(parsed, usableColumns(parsed, codebook));
  const places = {
    indexOf: (name: string) => variables.indexOf(name),
    codeOf: (name: string, level: string) => levelCode(codebook[name]!, level),
  };
  const found = new Map<string, number>();
  const parts: ExpressionPart[] = [];
  const sums: PartSum[] = [];
  const tooLong: string[] = [];

  const partOf = (node: Expression, compared: boolean): number => {
    const key = exactText(node) + (compared ? ' compared' : '');
    const known = found.get(key);
    if (known !== undefined) return known;
    found.set(key, parts.length);
    parts.push({
      name: shortened(deparse(node)),
      expression: node,
      ...traitsOf(node),
      compared: compared && node.kind === 'name',
      evaluate: compileArithmetic(node, places),
    });
    return parts.length - 1;
  };
  const summand = (node: Expression): Summand =>
    leaves(node) === 0
      ? { constant: Math.abs(constantValue(node)) }
      : { part: partOf(node, false) };

  /** Looks at the operands of a node; `inComparison` is a comparison that arithmetic goes on with. */
  const descend = (whole: Expression, inComparison: boolean): void => {
    const node = unwrapped(whole);
    if (node.kind === 'call') {
      for (const one of node.arguments) {
        const argument = unwrapped(one);
        if (leaves(argument) === 0) continue;
        partOf(argument, inComparison);
        descend(argument, inComparison);
      }
      return;
    }
    if (node.kind !== 'binary' || (isComparison(node) && levelTest(node) !== undefined)) return;
    const [left, right] = [unwrapped(node.left), unwrapped(node.right)];
    if (node.operator === '+' || node.operator === '-') {
      sums.push({ sides: [summand(left), summand(right)] });
    }
    for (const operand of [left, right]) {
      if (leaves(operand) === 0) continue;
      const compared = inComparison || (isComparison(node) && node !== top);
      partOf(operand, compared);
      descend(operand, compared);
    }
  };
  let top: Expression | undefined;
  for (const { expression } of [
    ...expanded.variables,
    ...expanded.responses,
    ...expanded.offsets,
  ]) {
    for (const { number, isPart } of numbersIn(unwrapped(expression))) {
      top = number;
      if (leaves(top) > MOST_LEAVES) tooLong.push(shortened(deparse(top)));
      else if (leaves(top) > 1 || comparesByFunction(top)) {
        if (isPart) partOf(top, false);
        descend(top, false);
      }
    }
  }
  // A comparison in an interaction need not have a column of its own.
  for (const { variables: factors } of expanded.terms) {
    if (factors.length === 1) continue;
    for (const factor of factors) {
      const { expression, written } = expanded.variables[factor]!;
      if (isLogical(written)) partOf(unwrapped(expression), false);
    }
  }
  return { parts, sums, tooLong };
}

/** Whether any expression of a formula compares. */
export function hasComparison(formula: string): boolean {
  const { responses, right } = parseFormula(formula);
  return [...responses, right].some((side) => someNode(side, compares));
}

/** A comparison, a list of values, or a function that compares. */
function compares(node: Expression): boolean {
  if (node.kind === 'binary' && node.operator === '%in%')
    return listedValues(node.right) !== undefined;
  return isComparison(node) || comparesByFunction(node);
}

function comparesByFunction(node: Expression): boolean {
  return node.kind === 'call' && signatureOf(node.function)?.compares === true;
}

/** The numbers of a term: itself, or what a function makes columns or a category of, which has no column of its own. */
function numbersIn(
  node: Expression,
): readonly { readonly number: Expression; readonly isPart: boolean }[] {
  const gives = givesOf(node);
  if (node.kind !== 'call' || gives === 'number') return [{ number: node, isPart: false }];
  const places = argumentPlaces(signatureOf(node.function)!, node);
  return node.arguments.flatMap((argument, k) =>
    places[k]?.kind === 'number' ? [{ number: unwrapped(lowered(argument)), isPart: true }] : [],
  );
}

/** Without I(), brackets and signs, which change no size. */
function unwrapped(expression: Expression): Expression {
  const inner = bare(expression);
  return inner.kind === 'sign' ? unwrapped(inner.operand) : inner;
}

/** How often columns occur. */
function leaves(expression: Expression): number {
  let count = 0;
  visit(expression, (node) => {
    if (node.kind === 'name') count++;
  });
  return count;
}

function traitsOf(node: Expression): Pick<PartTraits, 'compares' | 'selects'> {
  const isCompared = someNode(node, compares);
  const selects = someNode(
    node,
    (inner) =>
      (inner.kind === 'call' && numberFunction(inner).selects) ||
      (inner.kind === 'binary' &&
        (inner.operator === '^' || (inner.operator === '/' && leaves(inner.right) > 0))),
  );
  return { compares: isCompared, selects: isCompared || selects };
}

function someNode(expression: Expression, holds: (node: Expression) => boolean): boolean {
  let some = false;
  visit(expression, (node) => {
    some ||= holds(node);
  });
  return some;
}

/** A text that differs for expressions that differ in any digit. */
function exactText(expression: Expression): string {
  return JSON.stringify(expression, (key, value) => (key === 'position' ? undefined : value));
}

const LONGEST_NAME = 60;

function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}
