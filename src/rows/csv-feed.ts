import { defined } from '../defined.ts';
import type { BlockSink } from '../table/columns.ts';
import { csvReader } from '../table/csv.ts';
import type { CsvStream } from '../table/csv-stream.ts';
import type { Dialect } from '../table/dialect.ts';
import { draftScan } from '../table/draft-scan.ts';
import type { FileNotation } from '../table/notation.ts';
import type { Scanned, ScanRequest, WantedColumn } from './source.ts';

/** Rows that a server writes as CSV: UTF-8, commas, no header line, "." as the decimal mark. */
export interface FedTable {
  /** Its name in messages. */
  readonly name: string;
  /** The columns in the order in which they are written. */
  readonly header: readonly string[];
}

/** Takes the text of rows piece by piece. */
export interface CsvFeed<Result> {
  push(bytes: Uint8Array): void;
  /** Rows taken so far. */
  readonly rows: number;
  end(): Result;
}

const dialect: Dialect = { delimiter: ',', newline: 'lf', headerBytes: 0 };
/** A server says how it writes numbers, so no cell has to show it. */
const notation: FileNotation = { columns: {}, said: { decimal: '.' }, shared: {} };

/** Scans rows for what a codebook needs. */
export function scanFeed({ name, header }: FedTable, request: ScanRequest): CsvFeed<Scanned> {
  const { wanted, texts, missing, misfits } = request;
  const options = { texts: new Set(texts), missing, notation, ...defined({ misfits }) };
  const { stream, draft } = draftScan(dialect, header, wanted, name, options);
  return feedOf(stream, () => ({ draft: draft(), edges: { from: 0, to: stream.rows } }));
}

/** Reads rows by the codebook. */
export function readFeed(
  { name, header }: FedTable,
  columns: readonly WantedColumn[],
  sink: BlockSink,
): CsvFeed<void> {
  const plan = { file: name, dialect, header, columns, notation };
  return feedOf(csvReader(plan, sink), () => {});
}

function feedOf<Result>(stream: CsvStream, result: () => Result): CsvFeed<Result> {
  return {
    push(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const space = stream.space();
        const count = Math.min(space.length, bytes.length - from);
        space.set(bytes.subarray(from, from + count));
        stream.commit(count);
        from += count;
      }
    },
    get rows() {
      return stream.rows;
    },
    end() {
      stream.end();
      return result();
    },
  };
}
