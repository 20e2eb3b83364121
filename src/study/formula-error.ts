/** A formula that cannot be used: what is wrong, a caret under the place, and what to write. */
export class FormulaError extends Error {
  /** Where in the formula's text, counted from 0. */
  readonly position: number;
  readonly remedy: string;

  constructor(problem: string, text: string, position: number, remedy: string) {
    super(`${problem}\n  ${text.replace(/\s/g, ' ')}\n  ${' '.repeat(position)}^`);
    this.name = 'FormulaError';
    this.position = position;
    this.remedy = remedy;
  }
}
