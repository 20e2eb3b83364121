import { defined } from '../defined.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import type { Io, OutputStream } from './io.ts';

/** Bold and faint on a terminal, nothing elsewhere or under NO_COLOR. */
export function inkFor(io: Pick<Io, 'env' | 'stdout'>, stream: OutputStream = io.stdout): Ink {
  if (stream.isTTY !== true) return plainInk;
  const { columns: width } = stream;
  if ((io.env.NO_COLOR ?? '') !== '') return { ...plainInk, ...defined({ width }) };
  return {
    ...defined({ width }),
    bold: (text) => `\x1b[1m${text}\x1b[22m`,
    faint: (text) => `\x1b[2m${text}\x1b[22m`,
  };
}

/** Columns side by side; the first flush left, the others flush right. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  return rows.map((row) =>
    row
      .map((cell, k) => (k === 0 ? cell.padEnd(widths[k]) : cell.padStart(widths[k])))
      .join('  ')
      .trimEnd(),
  );
}
