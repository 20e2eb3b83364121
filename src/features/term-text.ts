import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import { parseFormula } from '../study/formula.ts';
import { callArguments } from '../study/formula-arguments.ts';
import { deparse, type Expression, expressionColumns } from '../study/formula-expression.ts';
import { givesOf } from '../study/formula-signatures.ts';
import { expandFormula, type Term, type Variable } from '../study/formula-terms.ts';
import { usableColumns } from '../study/usable-columns.ts';
import { type BoundVariable, isCategory } from './bound-variable.ts';
import { codeTerms, type TermColumn, variableColumns } from './terms.ts';
import { bare, bindVariable } from './variables.ts';

/** Names for people; R's names are the keys. A name that is not here is shown as it is. */
export interface TermTexts {
  /** Of columns and responses: `treatmentnew drug` is "treatment: new drug (vs control)". */
  readonly columns: ReadonlyMap<string, string>;
  /** The same without the baseline, for charts: "treatment: new drug". */
  readonly short: ReadonlyMap<string, string>;
  /** Of whole terms: `age:treatment` is "age × treatment". */
  readonly terms: ReadonlyMap<string, string>;
  /** The categories of the model with the level that the others are compared with. */
  readonly baselines: readonly BaselineLevel[];
}

export interface BaselineLevel {
  readonly column: string;
  readonly level: string;
  /** R's names of the columns that compare with it. */
  readonly columns: readonly string[];
}

/** The baselines in one line; undefined if the model has none. */
export function baselinesText({ baselines }: TermTexts): string | undefined {
  if (baselines.length === 0) return undefined;
  return baselines.map(({ column, level }) => `${column}: ${level}`).join('; ');
}

/** For a model without a formula: every name is shown as it is. */
export const NO_TERM_TEXTS: TermTexts = {
  columns: new Map(),
  short: new Map(),
  terms: new Map(),
  baselines: [],
};

/** The names of a formula's columns and terms for people who do not know R. */
export function termTexts(text: string, codebook: Codebook): TermTexts {
  const formula = parseFormula(text);
  const expanded = expandFormula(formula, usableColumns(formula, codebook));
  const { variables, responses, terms } = expanded;
  const written = [...variables, ...responses];
  const names = [...new Set(written.flatMap(({ expression }) => expressionColumns(expression)))];
  const places = new Map(names.map((name, place) => [name, place]));
  const bound = written.map((variable) => bindVariable(variable, formula, codebook, places));
  const coded = codeTerms(expanded, variableColumns(bound));
  const whole = wholeIn(coded);
  const factors = (term: Term, textOf: (variable: number) => string) =>
    term.variables.map(textOf).join(' × ');
  const nameOf = (k: number, { variables: { length } }: Term) =>
    length > 1 ? asFactor(variables[k].written) : readable(variables[k].written);
  const byLabel = new Map(terms.map((term) => [term.label, term]));
  const columnText = (column: TermColumn, hasBaseline: (variable: number) => boolean) => {
    const term = byLabel.get(column.term)!;
    return factors(term, (k) => {
      const indicated = column.indicators.find(({ variable }) => variable === k);
      if (indicated === undefined) {
        const part = column.numbers.find(({ variable }) => variable === k)?.part ?? 0;
        return partText(nameOf(k, term), bound[k], part) ?? nameOf(k, term);
      }
      return levelText(nameOf(k, term), bound[k], indicated.level, hasBaseline(k));
    });
  };
  const answered = responses.flatMap((response, k) =>
    responseTexts(response, bound[variables.length + k]),
  );
  return {
    columns: unambiguous([
      ...coded.map(
        (column) => [column.name, columnText(column, (k) => !whole.has(key(column, k)))] as const,
      ),
      ...answered,
    ]),
    short: unambiguous([
      ...coded.map((column) => [column.name, columnText(column, () => false)] as const),
      ...answered,
    ]),
    terms: unambiguous(terms.map((term) => [term.label, factors(term, (k) => nameOf(k, term))])),
    baselines: variables.flatMap(({ written: expression }, k) => {
      const one = bound[k];
      if (!isCategory(one) || isComparison(one)) return [];
      const compared = coded.filter(
        (column) =>
          column.indicators.some(({ variable }) => variable === k) && !whole.has(key(column, k)),
      );
      if (compared.length === 0) return [];
      const columns = compared.map(({ name }) => name);
      return [{ column: readable(expression), level: one.levels[0], columns }];
    }),
  };
}

function isComparison(variable: BoundVariable): boolean {
  return variable.kind === 'coded' && variable.isLogical === true;
}

/** One of the numbers of a variable that has several. */
function partText(name: string, variable: BoundVariable, part: number): string | undefined {
  if (variable.kind === 'columns') {
    const { parts, text } = variable;
    if (text === undefined) return readable(parts[part].expression);
    return `${name}, ${text} ${part + 1} of ${parts.length}`;
  }
  if (!isCategory(variable) || variable.contrasts === undefined) return undefined;
  return `${name}: contrast ${part + 1} of ${variable.contrasts.length}`;
}

/** The variables, by term, that have a column for every level and so no baseline. */
function wholeIn(coded: readonly TermColumn[]): ReadonlySet<string> {
  return new Set(
    coded.flatMap((column) =>
      column.indicators
        .filter(({ level }) => level === 0)
        .map(({ variable }) => key(column, variable)),
    ),
  );
}

function key({ term }: TermColumn, variable: number): string {
  return `${variable} ${term}`;
}

function levelText(name: string, variable: BoundVariable, level: number, compared: boolean) {
  if (isComparison(variable)) return level === 1 ? name : `not ${name}`;
  const levels = isCategory(variable) ? variable.levels : [];
  return `${name}: ${levels[level]}${compared ? ` (vs ${levels[0]})` : ''}`;
}

function responseTexts(
  { label, written: expression }: Variable,
  variable: BoundVariable,
): readonly (readonly [string, string])[] {
  const name = readable(expression);
  if (!isCategory(variable) || isComparison(variable)) return [[label, name]];
  return variable.levels.map((level) => [label + level, `${name}: ${level}`] as const);
}

/** Without texts that two names share; those are shown as R has them. */
function unambiguous(
  pairs: readonly (readonly [name: string, text: string])[],
): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const [, text] of pairs) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map(pairs.filter(([, text]) => counts.get(text) === 1));
}

const signs: Readonly<Record<string, string>> = {
  '*': '·',
  '==': '=',
  '!=': '≠',
  '<=': '≤',
  '>=': '≥',
};
const powers: Readonly<Record<number, string>> = { 2: '²', 3: '³', 4: '⁴', 5: '⁵' };

/** An expression without I(), backticks and quotes. */
function readable(written: Expression): string {
  const expression = bare(written);
  switch (expression.kind) {
    case 'name':
      return expression.name === SITE_COLUMN ? 'site' : expression.name;
    case 'text':
      return expression.text;
    case 'call': {
      const gives = givesOf(expression);
      if (gives === 'category' || gives === 'columns') {
        const { many } = callArguments(expression);
        return (many.length > 0 ? many : expression.arguments.slice(0, 1))
          .map(readable)
          .join(' and ');
      }
      return `${expression.function}(${expression.arguments.map(readable).join(', ')})`;
    }
    case 'sign':
      return `${expression.operator}${asFactor(expression.operand)}`;
    case 'binary': {
      const { operator, left, right } = expression;
      const power = right.kind === 'number' ? powers[right.value] : undefined;
      if (operator === '^' && power !== undefined) return `${asBase(left)}${power}`;
      const space = operator === '/' || operator === '^' ? '' : ' ';
      return `${side(left)}${space}${signs[operator] ?? operator}${space}${side(right)}`;
    }
    default:
      return deparse(expression);
  }
}

/** The side of an operator; brackets stay where they were written. */
function side(expression: Expression): string {
  return expression.kind === 'group' ? `(${readable(expression.inner)})` : readable(expression);
}

/** In brackets if it has a blank. */
function asBase(expression: Expression): string {
  const text = readable(expression);
  return text.includes(' ') ? `(${text})` : text;
}

/** In brackets if it has several parts. */
function asFactor(expression: Expression): string {
  const { kind } = bare(expression);
  const text = readable(expression);
  return kind === 'binary' && !/^[^ ]+[²³⁴⁵]$/u.test(text) ? `(${text})` : text;
}
