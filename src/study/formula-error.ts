import { FailureError } from '../failure.ts';
import type { Option } from '../option.ts';

/** A formula that cannot be used: what is wrong, a caret under the place, and what to write. */
export class FormulaError extends FailureError {
  /** Where in the formula's text, counted from 0. */
  readonly position: number;

  constructor(problem: string, text: string, position: number, remedy: string, option?: Option) {
    const caret = `  ${text.replace(/\s/g, ' ')}\n  ${' '.repeat(position)}^`;
    super('formula', { problem, remedy, option }, `${problem}\n${caret}`);
    this.name = 'FormulaError';
    this.position = position;
  }
}
