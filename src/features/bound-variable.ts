import type { Expression } from '../study/formula-expression.ts';
import type { LevelContrast } from './contrasts.ts';
import type { Evaluator } from './evaluator.ts';
import type { Interval } from './interval.ts';
import type { PublicGuess } from './public-unit.ts';
import type { Reference } from './reference.ts';

/** A variable of a formula, interpreted by the codebook; `column` indexes a block's columns. */
export type BoundVariable = NumberVariable | ComputedVariable | ColumnsVariable | AnyCategory;

/** A variable with levels. */
export type AnyCategory = CodedVariable | CategoryVariable;

/** A number column without a transformation. */
export interface NumberVariable {
  readonly kind: 'number';
  readonly column: number;
  readonly expression: Expression;
  readonly interval: Interval;
  /** The reference stated in the codebook. */
  readonly stated: Reference | undefined;
  /** Location and spread of its values, as stated in the codebook. */
  readonly guess: PublicGuess;
}

/** Arithmetic on number columns. */
export interface ComputedVariable {
  readonly kind: 'computed';
  readonly label: string;
  readonly expression: Expression;
  readonly evaluate: Evaluator;
  readonly interval: Interval;
}

/** Several numbers that a function makes of one, as a spline does. */
export interface ColumnsVariable {
  readonly kind: 'columns';
  readonly label: string;
  /** Labels of the parts are those of their columns. */
  readonly parts: readonly ComputedVariable[];
  /** What R writes behind the label, for each part. */
  readonly suffixes: readonly string[];
  /** What a part is, for people; absent if its expression is readable. */
  readonly text?: string;
}

interface Levels {
  /** The baseline first. */
  readonly levels: readonly string[];
  /** The code of each level. */
  readonly codes: readonly number[];
  /** How C() codes it; by treatment contrasts unless given. */
  readonly contrasts?: readonly LevelContrast[];
}

/** A category whose code is computed: by a comparison, which is like R's logical a category of two levels, by cut() or interaction(). */
export interface CodedVariable extends Levels {
  readonly kind: 'coded';
  /** Whether it is a comparison, with the levels FALSE and TRUE. */
  readonly isLogical?: true;
  readonly label: string;
  /** The code, as arithmetic. */
  readonly expression: Expression;
  readonly evaluate: Evaluator;
  /** Columns whose levels must be checked before the code means anything. */
  readonly checks: readonly CategoryVariable[];
  /** What must hold for a row to have a level; absent if every row has one. */
  readonly guard?: { readonly expression: Expression; readonly evaluate: Evaluator };
}

export interface CategoryVariable extends Levels {
  readonly kind: 'category';
  readonly column: number;
  /** The name of the column, for messages. */
  readonly source: string;
  /** The text of each level in the codebook; `levels` may have other names. */
  readonly written: readonly string[];
  /** Whether the table's reader has already refused all other codes. */
  readonly checked: boolean;
}

/** Whether a variable has levels. */
export function isCategory(variable: BoundVariable): variable is AnyCategory {
  return 'levels' in variable;
}

/** The number columns in a variable that must be at one of its levels: no reader has refused other numbers. */
export function uncheckedIn(variable: BoundVariable): readonly CategoryVariable[] {
  if (!isCategory(variable)) return [];
  if (variable.kind === 'coded') return variable.checks;
  return variable.checked ? [] : [variable];
}
