import type { ExpandedFormula, Term } from '../study/formula-terms.ts';
import { type BoundVariable, isCategory } from './bound-variable.ts';

/** A column of the model matrix: a product of numbers where some indicators are 1, else 0. */
export interface TermColumn {
  /** R's coefficient name, such as `x:sexmale`. */
  readonly name: string;
  /** Label of the term it belongs to. */
  readonly term: string;
  /** The numbers multiplied. */
  readonly numbers: readonly NumberFactor[];
  readonly indicators: readonly Indicator[];
}

/** A number of a variable: its only one, one of the columns that a function makes, or one of the contrasts of a category. */
export interface NumberFactor {
  readonly variable: number;
  readonly part: number;
}

/** 1 where the variable is at the level, else 0; `level` indexes levels with the baseline first. */
export interface Indicator {
  readonly variable: number;
  readonly level: number;
}

/** The columns that a variable gives to a term. */
export interface VariableColumns {
  /** The levels, baseline first; undefined for a number. */
  readonly levels?: readonly string[];
  /** What R writes behind the label of each number; absent for a category that has indicators instead. */
  readonly numbers?: readonly string[];
}

/** The columns of a variable. */
export type ColumnsOf = (variable: number) => VariableColumns;

/** The columns of the variables, as they are bound. */
export function variableColumns(bound: readonly BoundVariable[]): ColumnsOf {
  return (index) => {
    const variable = bound[index]!;
    if (variable.kind === 'columns') return { numbers: variable.suffixes };
    if (!isCategory(variable)) return { numbers: [''] };
    const numbers = variable.contrasts?.map(({ suffix }) => suffix);
    return { levels: variable.levels, ...(numbers && { numbers }) };
  };
}

/**
 * How the categories among the predictors are coded: by R's treatment contrasts, which leave a baseline out, or `one-hot`, where
 * a category that is a term of its own has an indicator for every level.
 */
export type Coding = 'treatment' | 'one-hot';

/** The columns of every term as R's model.matrix makes them; with treatment contrasts unless given. */
export function codeTerms(
  expanded: ExpandedFormula,
  columnsOf: ColumnsOf,
  coding: Coding = 'treatment',
): TermColumn[] {
  const full = indicatorCoded(expanded, columnsOf, coding);
  return expanded.terms.flatMap((term) =>
    // The first variable's levels vary fastest.
    term.variables.reduce<readonly TermColumn[]>(
      (columns, variable) => {
        const { label } = expanded.variables[variable]!;
        const { levels, numbers } = columnsOf(variable);
        const isFull = full.has(key(term, variable));
        if (levels === undefined || (numbers !== undefined && !isFull)) {
          return numbers!.flatMap((suffix, part) =>
            columns.map((column) => ({
              ...column,
              name: joined(column.name, label + suffix),
              numbers: [...column.numbers, { variable, part }],
            })),
          );
        }
        const first = isFull ? 0 : 1;
        return levels.slice(first).flatMap((level, index) =>
          columns.map((column) => ({
            ...column,
            name: joined(column.name, label + level),
            indicators: [...column.indicators, { variable, level: first + index }],
          })),
        );
      },
      [{ name: '', term: term.label, numbers: [], indicators: [] }],
    ),
  );
}

/** The number of columns that `codeTerms` would make for each term, without making them. */
export function columnCounts(
  expanded: ExpandedFormula,
  columnsOf: ColumnsOf,
  coding: Coding = 'treatment',
): readonly number[] {
  const full = indicatorCoded(expanded, columnsOf, coding);
  return expanded.terms.map((term) =>
    term.variables.reduce((count, variable) => {
      const { levels, numbers } = columnsOf(variable);
      if (levels === undefined) return count * numbers!.length;
      return count * (full.has(key(term, variable)) ? levels.length : levels.length - 1);
    }, 1),
  );
}

function joined(name: string, part: string): string {
  return name === '' ? part : `${name}:${part}`;
}

/**
 * The categories, keyed by term and variable, that get an indicator for every level: those whose
 * term without them is in no earlier term, so that no other column covers the baseline. Without
 * an intercept this includes the first category (R's TermCode and modelmatrix in model.c); in one-hot coding
 * every category that is a term of its own.
 */
function indicatorCoded(
  { terms, intercept }: ExpandedFormula,
  columnsOf: ColumnsOf,
  coding: Coding,
): Set<string> {
  const full = new Set<string>();
  // Earlier terms have no more variables, so one that holds the rest is the rest, or has one variable more.
  const covered = new Set<string>();
  for (const term of terms) {
    const { variables } = term;
    const rests = variables.map((variable) => String(variables.filter((one) => one !== variable)));
    variables.forEach((variable, k) => {
      if (columnsOf(variable).levels === undefined) return;
      const isWhole = variables.length === 1 ? coding === 'one-hot' : !covered.has(rests[k]!);
      if (isWhole) full.add(key(term, variable));
    });
    for (const held of [String(variables), ...rests]) covered.add(held);
  }
  if (!intercept) {
    for (const term of terms) {
      const first = term.variables.find((variable) => columnsOf(variable).levels !== undefined);
      if (first === undefined) continue;
      full.add(key(term, first));
      break;
    }
  }
  return full;
}

function key(term: Term, variable: number): string {
  return `${term.label}\n${variable}`;
}
