import { defined } from '../defined.ts';
import { longDecimal, preparePowers } from '../numeric/decimal.ts';
import { createKernels, type Kernels } from '../numeric/kernels.ts';
import { type Fields, recordIs } from './csv-fields.ts';
import type { Dialect } from './dialect.ts';

/** The longest record that is read; longer ones are refused without holding them in memory. */
export const LONGEST_RECORD: number = 16 * 2 ** 20;

const LEAST_SPACE = 2 ** 16;
const FIRST_CAPACITY = 2 ** 18;
const SLACK = 64; // the kernel reads past the end; a newline may be added there

/**
 * Which part of a file to read, for several readers of one file. A reader from offset f > 0 gets the bytes from f − 1 with
 * `startsMidFile`; its first record starts after the first newline at or after that byte. A reader up to offset t reads the
 * records (blank lines included) that start before t; the next reader has the one at t. If no range began inside quotes,
 * neighbours agree: `consumed` of one is `firstRecordAt` of the next, in file offsets. If they disagree, or a range is
 * refused, the file must be read again as a whole.
 */
export interface CsvRange {
  readonly startsMidFile?: boolean;
  /** Relative to the first byte given; the file's end unless given. */
  readonly stopAt?: number;
}

/** Takes a file's bytes piece by piece. Offsets count from the first byte given. */
export interface CsvStream {
  /** Space for the next bytes: a view of kernel memory, at least 64 KiB; ask again after every commit. */
  space(): Uint8Array;
  /** Says that `bytes` bytes were written. */
  commit(bytes: number): void;
  /** Ends the input and reads what is left, including a last record without newline. */
  end(): void;
  /** Data rows read so far. */
  readonly rows: number;
  /** End of the last complete record. */
  readonly consumed: number;
  /** Start of the first record, once known. */
  readonly firstRecordAt: number | undefined;
  /** Whether every record before `stopAt` was read; further bytes are ignored. */
  readonly finished: boolean;
}

/** What a stream needs from its owner: the fields, values for cells that the kernel cannot read, and a sink. */
export interface CsvOwner {
  readonly fields: Fields;
  /** The value of a cell, or a refusal; `row` counts data rows from 1. */
  cell(field: number, row: number, bytes: Uint8Array, how: number): number;
  refuse(why: number, field: number, row: number): never;
  refuseUnterminated(row: number): never;
  /** Takes the rows of a block when it is full and at the end. */
  flush(rows: number, firstRow: number): void;
}

export interface CsvStreamPlan extends CsvRange {
  readonly dialect: Dialect;
  readonly blockRows: number;
  readonly fused?: boolean;
}

/** Runs its own kernel instance over a file; `own` writes the fields into its memory. */
export function csvStream(plan: CsvStreamPlan, own: (kernels: Kernels) => CsvOwner): CsvStream {
  const kernels: Kernels = createKernels({
    ...defined({ fused: plan.fused }),
    imports: {
      longDecimal: (from, length) => longDecimal(bytes(from!, length!)),
      cell(field, row, from, length, how) {
        try {
          return owner.cell(field!, delivered + row! + 1, bytes(from!, length!), how!);
        } catch (error) {
          doubt ??= error;
          kernels.call.doubtRecord!();
          return Number.NaN;
        }
      },
      refuse(why, field, row) {
        if (why === recordIs.doubted) throw doubt;
        return owner.refuse(why!, field!, delivered + row! + 1);
      },
    },
  });
  preparePowers(kernels);
  const owner = own(kernels);
  const { dialect, blockRows } = plan;
  const newline = dialect.newline === 'cr' ? 13 : 10;
  const stopAt = plan.stopAt ?? Infinity;
  const { csvCursor, csvField, csvRecord, openCsv, readRecords } = kernels.call;
  openCsv!(
    owner.fields.pointer,
    owner.fields.width,
    dialect.delimiter.charCodeAt(0),
    newline,
    LONGEST_RECORD,
  );

  let capacity = FIRST_CAPACITY;
  let buffer = kernels.allocate(capacity + SLACK);
  let base = 0; // offset of the first byte in the buffer
  let filled = 0;
  let starved = 0; // bytes that were not enough for one field
  let blockFill = 0;
  let delivered = 0;
  let firstRecordAt: number | undefined;
  let consumed = 0;
  let finished = false;
  // A refused cell waits for the end of its record: a malformed record is the better message.
  let doubt: unknown;

  const bytes = (from: number, length: number) =>
    new Uint8Array(kernels.memory.buffer, from, length);

  const drop = (count: number) => {
    if (count < filled) bytes(buffer, filled).copyWithin(0, count);
    base += count;
    filled -= count;
  };

  const deliver = () => {
    if (blockFill === 0) return;
    owner.flush(blockFill, delivered + 1);
    delivered += blockFill;
    blockFill = 0;
  };

  /** Drops everything before the first record; false if no record has started yet. */
  const reachFirstRecord = (): boolean => {
    if (firstRecordAt !== undefined) return true;
    let start = dialect.headerBytes - base;
    if (plan.startsMidFile) {
      const at = bytes(buffer, filled).indexOf(newline);
      start = at < 0 ? Infinity : at + 1;
    }
    if (start > filled) {
      drop(filled);
      return false;
    }
    drop(start);
    firstRecordAt = base;
    consumed = base;
    return true;
  };

  const parse = (length: number) => {
    bytes(buffer + length, 16).fill(0);
    const stop = buffer + Math.max(0, Math.min(length, stopAt - base));
    let from = buffer;
    let blockIsFull = true;
    while (blockIsFull) {
      const record = buffer + consumed - base;
      blockFill = readRecords!(from, buffer + length, stop, record, blockFill, blockRows);
      from = csvCursor!();
      consumed = base + csvRecord!() - buffer;
      blockIsFull = blockFill === blockRows;
      if (blockIsFull) deliver();
    }
    drop(Math.min(from - buffer, filled));
    starved = filled;
    finished = csvField!() === 0 && consumed >= stopAt;
    if (finished) drop(filled);
    else if (base + filled - consumed > LONGEST_RECORD) {
      owner.refuse(recordIs.tooLong, 0, delivered + blockFill + 1);
    }
  };

  return {
    space() {
      if (capacity - filled < LEAST_SPACE) {
        const larger = kernels.allocate(2 * capacity + SLACK);
        bytes(larger, filled).set(bytes(buffer, filled));
        buffer = larger;
        capacity *= 2;
      }
      return bytes(buffer + filled, capacity - filled);
    },
    commit(count) {
      if (!(count >= 0 && count <= capacity - filled)) {
        throw new RangeError(`commit must be 0 … ${capacity - filled} bytes: ${count}`);
      }
      if (finished) return;
      filled += count;
      // Retry only when the bytes have doubled, so that a long field takes linear time.
      const isDue = filled >= 2 * starved || base + filled - consumed > LONGEST_RECORD;
      if (isDue && reachFirstRecord()) parse(filled);
    },
    end() {
      if (!finished && !reachFirstRecord()) {
        firstRecordAt = base;
        consumed = base;
      } else if (!finished) {
        parse(filled);
        const total = base + filled;
        if (!finished && (filled > 0 || csvField!() !== 0)) {
          bytes(buffer + filled, 1)[0] = newline;
          parse(filled + 1);
          if (csvField!() !== 0 || filled > 0) owner.refuseUnterminated(delivered + blockFill + 1);
          consumed = Math.min(consumed, total);
        }
      }
      finished = true;
      deliver();
    },
    get rows() {
      return delivered + blockFill;
    },
    get consumed() {
      return consumed;
    },
    get firstRecordAt() {
      return firstRecordAt;
    },
    get finished() {
      return finished;
    },
  };
}
