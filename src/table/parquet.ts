import type { AsyncBuffer, FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet';
import { parquetMetadataAsync, parquetSchema } from 'hyparquet/src/metadata.js';
import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { type BlockSink, type ColumnToRead, rowsPerBlock } from './columns.ts';
import { createCells } from './parquet-cells.ts';
import { type ParquetPage, readParquetPages } from './parquet-pages.ts';

/** The file and columns to read, with the codebook's entry for each. */
export interface ParquetPlan {
  readonly file: string;
  readonly columns: readonly ColumnToRead[];
}

/** The contents of a file's footer: column names, number of rows, and row groups. */
export interface ParquetHeader {
  readonly header: string[];
  readonly rows: number;
  readonly rowGroups: readonly { readonly rows: number }[];
}

/** Row groups [fromGroup, toGroup). */
export interface GroupRange {
  readonly fromGroup: number;
  readonly toGroup: number;
}

/** The root of the schema and a column below it. */
type ColumnPath = readonly [SchemaTree, SchemaTree];

/** Names and row count, from the footer alone. */
export async function parquetHeader(buffer: AsyncBuffer, file?: string): Promise<ParquetHeader> {
  const metadata = await readFooter(buffer, file);
  return {
    header: parquetSchema(metadata).children.map((child) => child.element.name),
    rows: Number(metadata.num_rows),
    rowGroups: metadata.row_groups.map((group) => ({ rows: Number(group.num_rows) })),
  };
}

/**
 * Reads row groups and hands blocks of rows to the sink, a few pages in memory at a time; returns how many rows there were.
 */
export async function readParquet(
  buffer: AsyncBuffer,
  plan: ParquetPlan,
  sink: BlockSink,
  range?: GroupRange,
): Promise<number> {
  const metadata = await readFooter(buffer, plan.file);
  const columns = plan.columns.map((planned) => {
    const { name } = planned;
    const place = { file: plan.file, column: name };
    const path = columnPath(metadata, name, place);
    refuseTypes(path[1].element, place);
    return { place, path, cells: createCells(planned, path[1].element, place) };
  });
  const most = rowsPerBlock(columns.length);
  const targets = columns.map(() => new Float64Array(most));
  const { fromGroup = 0, toGroup = metadata.row_groups.length } = range ?? {};
  let firstRow = 1;
  let total = 0;
  for (const [index, group] of metadata.row_groups.entries()) {
    const rows = Number(group.num_rows);
    if (index >= fromGroup && index < toGroup) {
      const streams = columns.map(({ place, path, cells }) =>
        streamCells(groupPages(buffer, group, path, place), cells, firstRow, place),
      );
      for (let done = 0; done < rows; done += most) {
        const count = Math.min(most, rows - done);
        const block = targets.map((target) => target.subarray(0, count));
        await allOrFirst(streams.map((fill, i) => fill(block[i]!)));
        sink({ rows: count, columns: block }, firstRow + done);
      }
      total += rows;
    }
    firstRow += rows;
  }
  return total;
}

/** Waits for all columns; if several fail, throws the error of the earliest row, so that a file always gives the same error. */
async function allOrFirst(fills: readonly Promise<void>[]): Promise<void> {
  const refusals = (await Promise.allSettled(fills)).flatMap((result): unknown[] =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  if (refusals.length === 0) return;
  const row = (reason: unknown) => (reason instanceof DataError && reason.place.row) || 0;
  throw refusals.reduce((first, other) => (row(other) < row(first) ? other : first));
}

/** The footer, or a DataError if the file is not Parquet. */
export async function readFooter(buffer: AsyncBuffer, file?: string): Promise<FileMetaData> {
  try {
    return await parquetMetadataAsync(buffer);
  } catch (error) {
    throw unreadable(error, file === undefined ? {} : { file });
  }
}

/** The path to a column, which must exist and be flat. */
export function columnPath(metadata: FileMetaData, name: string, place: Place): ColumnPath {
  const root = parquetSchema(metadata);
  const leaf = root.children.find((child) => child.element.name === name);
  if (leaf === undefined) {
    const names = root.children.map((child) => `"${child.element.name}"`).join(', ');
    const remedy = `Rename the column, or correct the codebook; the file has ${names}.`;
    throw new DataError('no such column in the file', place, remedy);
  }
  if (leaf.children.length > 0 || leaf.element.repetition_type === 'REPEATED') {
    throw new DataError('the column is nested', place, 'Write it as flat columns.');
  }
  return [root, leaf];
}

/** The pages of one column in one row group; errors become DataErrors. */
export async function* groupPages(
  buffer: AsyncBuffer,
  group: RowGroup,
  path: ColumnPath,
  place: Place,
): AsyncGenerator<ParquetPage> {
  const name = path[1].element.name;
  const chunk = group.columns.find(({ meta_data: meta }) => meta?.path_in_schema[0] === name);
  try {
    if (chunk === undefined) throw new Error('parquet column chunk is not there');
    yield* readParquetPages(buffer, chunk, path);
  } catch (error) {
    throw error instanceof DataError ? error : unreadable(error, place);
  }
}

/** A function that fills an array with the next cells of a column, page after page. */
function streamCells(
  pages: AsyncGenerator<ParquetPage>,
  toCells: (page: ParquetPage, firstRow: number) => Float64Array,
  firstRow: number,
  place: Place,
): (target: Float64Array) => Promise<void> {
  let cells = new Float64Array(0);
  let used = 0;
  let row = firstRow;
  return async (target) => {
    for (let filled = 0; filled < target.length; ) {
      if (used === cells.length) {
        const next = await pages.next();
        if (next.done) throw unreadable(new Error('parquet column ends early'), place);
        cells = toCells(next.value, row) as Float64Array<ArrayBuffer>;
        row += cells.length;
        used = 0;
      }
      const part = cells.subarray(used, used + target.length - filled);
      target.set(part, filled);
      used += part.length;
      filled += part.length;
    }
  };
}

const CLOCK = /^(DATE|TIME|TIMESTAMP)/;
const OPAQUE = /^(JSON|BSON|INTERVAL|VARIANT|GEOMETRY|GEOGRAPHY|LIST|MAP)/;

/** Refuses columns whose values are neither numbers nor texts. */
export function refuseTypes(element: SchemaElement, place: Place): void {
  const kinds = [element.converted_type ?? '', element.logical_type?.type ?? ''];
  if (element.type === 'INT96' || kinds.some((kind) => CLOCK.test(kind))) {
    const remedy = 'Turn the date into a number first, such as days since a fixed day or an age.';
    throw new DataError('the column holds dates or times', place, remedy);
  }
  if (kinds.some((kind) => OPAQUE.test(kind))) {
    const remedy = 'Write it as numbers or texts.';
    throw new DataError('the column holds neither numbers nor texts', place, remedy);
  }
}

function unreadable(error: unknown, place: Place): DataError {
  const detail = error instanceof Error ? error.message : String(error);
  const problem = `the Parquet file cannot be read (${detail})`;
  return new DataError(problem, place, 'Check that the file is complete, or write it again.');
}
