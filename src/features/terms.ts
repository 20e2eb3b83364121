import type { ExpandedFormula, Term } from '../study/formula-terms.ts';

/** A column of the model matrix: a product of numbers where some indicators are 1, else 0. */
export interface TermColumn {
  /** R's coefficient name, such as `x:sexmale`. */
  readonly name: string;
  /** Label of the term it belongs to. */
  readonly term: string;
  /** Indices of the variables multiplied. */
  readonly numbers: readonly number[];
  readonly indicators: readonly Indicator[];
}

/** 1 where the variable is at the level, else 0; `level` indexes levels with the baseline first. */
export interface Indicator {
  readonly variable: number;
  readonly level: number;
}

/** The levels of a variable, baseline first; undefined for a number. */
export type LevelsOf = (variable: number) => readonly string[] | undefined;

/**
 * How the categories among the predictors are coded: by R's treatment contrasts, which leave a baseline out, or `one-hot`, where
 * a category that is a term of its own has an indicator for every level.
 */
export type Coding = 'treatment' | 'one-hot';

/** The columns of every term as R's model.matrix makes them; with treatment contrasts unless given. */
export function codeTerms(
  expanded: ExpandedFormula,
  levelsOf: LevelsOf,
  coding: Coding = 'treatment',
): TermColumn[] {
  const full = indicatorCoded(expanded, levelsOf, coding);
  return expanded.terms.flatMap((term) =>
    // The first variable's levels vary fastest.
    term.variables.reduce<readonly TermColumn[]>(
      (columns, variable) => {
        const { label } = expanded.variables[variable]!;
        const levels = levelsOf(variable);
        if (levels === undefined) {
          return columns.map((column) => ({
            ...column,
            name: joined(column.name, label),
            numbers: [...column.numbers, variable],
          }));
        }
        const first = full.has(key(term, variable)) ? 0 : 1;
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
  levelsOf: LevelsOf,
  coding: Coding = 'treatment',
): readonly number[] {
  const full = indicatorCoded(expanded, levelsOf, coding);
  return expanded.terms.map((term) =>
    term.variables.reduce((count, variable) => {
      const levels = levelsOf(variable);
      if (levels === undefined) return count;
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
  levelsOf: LevelsOf,
  coding: Coding,
): Set<string> {
  const full = new Set<string>();
  // Earlier terms have no more variables, so one that holds the rest is the rest, or has one variable more.
  const covered = new Set<string>();
  for (const term of terms) {
    const { variables } = term;
    const rests = variables.map((variable) => String(variables.filter((one) => one !== variable)));
    variables.forEach((variable, k) => {
      if (levelsOf(variable) === undefined) return;
      const isWhole = variables.length === 1 ? coding === 'one-hot' : !covered.has(rests[k]!);
      if (isWhole) full.add(key(term, variable));
    });
    for (const held of [String(variables), ...rests]) covered.add(held);
  }
  if (!intercept) {
    for (const term of terms) {
      const first = term.variables.find((variable) => levelsOf(variable) !== undefined);
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
