import { measured, SMALL_FONT, widest } from './space.ts';

export interface HeatLayout {
  readonly left: number;
  readonly top: number;
  readonly cell: { readonly width: number; readonly height: number; readonly gap: number };
  readonly bottom: number;
  /** The labels above the columns. */
  readonly heads: 'names' | 'upright names' | 'numbers';
  /** Every n-th row and column has a name. */
  readonly everyRow: number;
  readonly everyColumn: number;
  /** Whether the numbers fit in the cells. */
  readonly numbers: boolean;
}

const TEXT = 15;
/** Most columns for which cells may show their numbers. */
export const MOST_NUMBERED = 12;
const MOST_NAMED_ROWS = 60;
const MOST_UPRIGHT = 30;
const MOST_CELL = 56;
const MOST_NAMED_CELL = 124;
const MOST_HEIGHT = 34;

/** The label of a row; with its number if the columns are labelled by numbers. */
export function rowName(names: readonly string[], row: number, heads: HeatLayout['heads']): string {
  return heads === 'numbers' ? `${row + 1} ${names[row]}` : names[row];
}

function headsFor(named: number, across: number, count: number): HeatLayout['heads'] {
  if (named <= across) return 'names';
  return across >= TEXT && count <= MOST_UPRIGHT ? 'upright names' : 'numbers';
}

export function heatLayout(
  names: readonly string[],
  texts: readonly string[],
  width: number,
): HeatLayout {
  const count = Math.max(1, names.length);
  const numbered = names.map((name, k) => `${k + 1} ${name}`);
  const left = Math.min(widest(numbered), Math.max(84, Math.min(200, 0.28 * width))) + 8;
  const most = (width - left - 1) / count;
  const named = widest(names) + 10;
  const across =
    named <= Math.min(most, MOST_NAMED_CELL)
      ? Math.max(MOST_CELL, named)
      : Math.min(MOST_CELL, most);
  const numbers = count <= MOST_NUMBERED && across >= widest(texts, SMALL_FONT) + 5;
  const least = count <= MOST_NAMED_ROWS ? TEXT : 3;
  const height = Math.max(least, Math.min(MOST_HEIGHT, across));
  const heads = headsFor(named, across, count);
  const top = heads === 'upright names' ? Math.min(widest(names), 110) + 10 : 20;
  return {
    left,
    top,
    cell: { width: across, height, gap: across >= 7 ? 1 : 0 },
    bottom: top + names.length * height,
    heads,
    everyRow: Math.ceil(TEXT / height),
    everyColumn: heads === 'numbers' ? Math.ceil((1.5 * measured(String(count)) + 6) / across) : 1,
    numbers,
  };
}
