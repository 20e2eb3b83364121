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

/** Lines that are looked at for a header below the first line. */
const MOST_LINES = 30;

/**
 * How many lines stand above the header line, where the first line of a file is a title or a remark; undefined if no line
 * below it looks like a header: it has more of the wanted names than the first line, and at least two or all of them.
 * `split` gives the fields of a line.
 */
export function linesAboveHeader(
  lines: readonly string[],
  wanted: readonly string[],
  split: (line: string) => readonly string[],
): number | undefined {
  const [first, ...below] = lines.slice(0, MOST_LINES).map(split);
  const has = (fields: readonly string[]) => wanted.filter((name) => fields.includes(name)).length;
  const least = Math.max(has(first!) + 1, Math.min(2, wanted.length));
  const at = below.findIndex((fields) =>
    wanted.length > 0
      ? has(fields) >= least
      : fields.length > Math.max(1, first!.length) && fields.every(isName),
  );
  return at < 0 ? undefined : at + 1;
}

function isName(field: string): boolean {
  return field !== '' && !/^[+-]?\d/.test(field);
}
