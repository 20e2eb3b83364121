import { DataError } from '../src/data-error.ts';
import type { CsvCase } from './csv-arbitrary.ts';
import { type Read, read, refusalKind, utf8 } from './csv-read.ts';
import { readCsvTwin, type Table } from './csv-twin.ts';

/** What the kernel makes of a case when it arrives in pieces of the given sizes. */
export function readCase(
  { text, plan }: CsvCase,
  sizes: readonly number[],
  blockRows = 4096,
): Table {
  try {
    return { columns: read(utf8(text), plan, { blockRows }, sizes).columns };
  } catch (error) {
    if (error instanceof DataError) return refusalKind(error);
    throw error;
  }
}

/** What the twin makes of it. */
export function readCaseTwin({ text, plan }: CsvCase): Table {
  return readCsvTwin(text, plan);
}

/**
 * Reads a case in ranges cut at the given offsets (modulo its length): the columns where neighbours agree on where records start, undefined
 * where they do not or a range is refused.
 */
export function readInRanges(
  { text, plan }: CsvCase,
  cuts: readonly number[],
  sizes: readonly number[],
): Read['columns'] | undefined {
  const bytes = utf8(text);
  const offsets = [
    0,
    ...[...new Set(cuts.map((cut) => 1 + (cut % bytes.length)))].sort((a, b) => a - b),
    Infinity,
  ];
  let end = plan.dialect.headerBytes;
  const columns: number[][] = plan.columns.map(() => []);
  for (let k = 0; k + 1 < offsets.length; k++) {
    const start = Math.max(0, offsets[k]! - 1);
    const stopAt = offsets[k + 1]! - start;
    try {
      const part = read(bytes.subarray(start), plan, { startsMidFile: k > 0, stopAt }, sizes);
      if (start + part.from !== end) return undefined;
      end = start + part.consumed;
      part.columns.forEach((column, i) => {
        columns[i]!.push(...column);
      });
    } catch (error) {
      if (error instanceof DataError) return undefined;
      throw error;
    }
  }
  if (end !== bytes.length) throw new Error(`ranges end at ${end}, the file at ${bytes.length}`);
  return columns;
}
