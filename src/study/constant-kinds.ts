import { flagOf, listedValues, numberOf, numbersOf } from './formula-constants.ts';
import type { Expression } from './formula-expression.ts';
import type { ArgumentKind } from './formula-signature.ts';

/** Kinds of arguments that are public constants. */
export type ConstantKind = Exclude<ArgumentKind, 'number' | 'condition' | 'category'>;

/** Whether an argument is a constant of a kind. */
export const constantChecks: Readonly<Record<ConstantKind, (argument: Expression) => boolean>> = {
  constant: (argument) => Number.isFinite(numberOf(argument)),
  constants: (argument) => numbersOf(argument)?.every((value) => !Number.isNaN(value)) === true,
  values: (argument) => listedValues(argument) !== undefined,
  flag: (argument) => flagOf(argument) !== undefined,
  word: (argument) => argument.kind === 'word' || argument.kind === 'text',
};

export const constantText: Readonly<Record<ConstantKind, string>> = {
  constant: 'a number',
  constants: 'a list of numbers',
  values: 'a list of texts or numbers',
  flag: 'TRUE or FALSE',
  word: 'a name',
};
