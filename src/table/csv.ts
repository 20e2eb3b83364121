import { type BlockSink, type ColumnToRead, rowsPerBlock } from './columns.ts';
import { cellText, readingOf, textOfBytes } from './csv-cells.ts';
import { cellWas, type Field, layFields } from './csv-fields.ts';
import { recordRefusal, unterminatedQuote, wrongEncoding } from './csv-refusals.ts';
import { type CsvRange, type CsvStream, csvStream } from './csv-stream.ts';
import type { Dialect } from './dialect.ts';
import { type FileNotation, notationOf, saidAlone } from './notation.ts';
import { createSpellings } from './spellings.ts';

/** What to read from a file: the wanted codebook columns, in the order of a block's columns. */
export interface CsvPlan {
  /** The file's name, for messages. */
  readonly file: string;
  readonly dialect: Dialect;
  /** All header names in file order. */
  readonly header: readonly string[];
  readonly columns: readonly ColumnToRead[];
  /** How the file writes its numbers; as the codebook says unless given. */
  readonly notation?: FileNotation;
}

/** Takes the bytes of a file piece by piece, and passes its rows on in blocks. */
export type CsvReader = CsvStream;

export interface CsvOptions extends CsvRange {
  readonly fused?: boolean;
  /** Rows of a full block; `rowsPerBlock` unless given. */
  readonly blockRows?: number;
}

const MOST_SPELLINGS = 10_000;

/**
 * Reads a CSV file as the codebook says and hands its rows to `sink` in blocks. Throws `DataError` at the first cell or
 * record that breaks a rule; do not use a reader after that. If a reader starts mid-file, rows count from there.
 */
export function csvReader(plan: CsvPlan, sink: BlockSink, options: CsvOptions = {}): CsvReader {
  const blockRows = options.blockRows ?? rowsPerBlock(plan.columns.length);
  const columnBytes = blockRows * 8 + 64; // the 64 keep columns out of each other's cache sets
  const wanted = new Map(plan.columns.map((column) => [column.name, column]));
  for (const name of wanted.keys()) {
    if (!plan.header.includes(name)) throw new RangeError(`column not in the header: "${name}"`);
  }
  const readings = plan.header.map((name) => {
    const planned = wanted.get(name);
    if (planned === undefined) return undefined;
    const { column, misfits } = planned;
    // Where no cell may refuse the file, none may change how the others are read either.
    const file = misfits === 'allow' ? plan.notation && saidAlone(plan.notation) : plan.notation;
    const declared = column.type === 'number' ? column.decimal : undefined;
    const notation = file && notationOf(file, name, declared);
    return readingOf(planned, notation);
  });

  return csvStream({ ...options, dialect: plan.dialect, blockRows }, (kernels) => {
    const encoder = new TextEncoder();
    const laid = readings.map((reading): Field | undefined => {
      if (reading === undefined) return undefined;
      const spellings = createSpellings(kernels);
      for (const [text, value] of reading.known) spellings.add(encoder.encode(text), value);
      return { ...reading.field, spellings, out: kernels.allocate(columnBytes) };
    });
    const fields = layFields(kernels, laid, plan.dialect.delimiter.charCodeAt(0));
    let missing = 0;
    const outs = plan.columns.map(({ name }) => laid[plan.header.indexOf(name)]!.out);
    return {
      fields,
      cell(index, row, bytes, how) {
        const place = { file: plan.file, row, column: plan.header[index]! };
        const { column, misfits } = wanted.get(place.column)!;
        // What a cell says cannot be refused: bytes that are no text say something too.
        const text =
          cellText(bytes, how) ?? (column.type === 'said' ? textOfBytes(bytes) : undefined);
        if (text === undefined) {
          if (misfits === 'allow') return Number.NaN;
          throw wrongEncoding(place);
        }
        const value = readings[index]!.settle(text, how, place);
        const { spellings } = laid[index]!;
        if ((how & cellWas.escaped) === 0 && spellings.size < MOST_SPELLINGS) {
          spellings.add(bytes.slice(), value);
          fields.refresh(index);
        }
        return value;
      },
      refuse(why, field, row) {
        const place = { file: plan.file, row };
        throw recordRefusal(why, field, plan.header.length, plan.header[field], place);
      },
      refuseUnterminated(row) {
        throw unterminatedQuote({ file: plan.file, row });
      },
      flush(rows, firstRow) {
        const before = missing;
        missing = kernels.call.csvMissing!();
        const columns = outs.map((out) => kernels.f64(out, rows));
        sink({ rows, columns, complete: missing === before }, firstRow);
      },
    };
  });
}
