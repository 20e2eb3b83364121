import { DataError } from '../data-error.ts';

/** The refusal of a file whose column names are not in its first line. */
export class HeaderBelow extends DataError {
  constructor(line: number, place: { file?: string }) {
    super(
      `the column names are in line ${line}, below other text`,
      place,
      'Remove the lines above the line with the column names.',
    );
    this.name = 'HeaderBelow';
  }
}
