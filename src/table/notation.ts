import { defined } from '../defined.ts';

export type DecimalMark = '.' | ',';

/** Which comes first in a date such as 03/04/2024. */
export type DateOrder = 'day first' | 'month first';

/** How one column of one file writes its numbers. What is absent is not known. */
export interface Notation {
  readonly decimal?: DecimalMark;
  readonly dates?: DateOrder;
}

/** How a text file writes its numbers. It belongs to the file, never to a study. */
export interface FileNotation {
  /** What the cells of a column show, where they agree. */
  readonly columns: Readonly<Record<string, Notation>>;
  /** What a person says about the file. */
  readonly said: Notation;
  /** What all columns that show it agree on. */
  readonly shared: Notation;
}

/**
 * The notation of a column: what its own cells show, else what a person or the codebook says, else what the other columns
 * of the file show.
 */
export function notationOf(
  { columns, said, shared }: FileNotation,
  name: string,
  codebook: DecimalMark | undefined,
): Notation {
  const own = Object.hasOwn(columns, name) ? columns[name]! : {};
  return defined({
    decimal: own.decimal ?? said.decimal ?? codebook ?? shared.decimal,
    dates: own.dates ?? said.dates ?? shared.dates,
  });
}

/** What a person says about the file, without what its cells show: then no cell changes how others are read. */
export function saidAlone({ said }: FileNotation): FileNotation {
  return { columns: {}, said, shared: {} };
}
