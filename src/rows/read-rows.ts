import { withAllowedRange } from '../features/reference.ts';
import type { Agreement } from '../federate.ts';
import { type Column, SITE_COLUMN } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import type { Block, BlockSink } from '../table/columns.ts';
import { csvReader } from '../table/csv.ts';
import { type Host, withReader } from './host.ts';
import {
  asyncBuffer,
  csvPart,
  type Edges,
  type FilePart,
  isCsv,
  pumpCsv,
  type TableFile,
} from './table-file.ts';

/** A table file, or a part of it, and the study it is read for. */
export interface RowSource {
  readonly study: Study;
  readonly file: TableFile;
  readonly part?: FilePart;
}

export type JobProgress = (bytes: number, rows: number) => void;

/** Reads columns that a study knows by name. */
export function readTable(
  host: Host,
  source: RowSource,
  names: readonly string[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<Edges | undefined> {
  const { codebook } = source.study;
  const columns = names.map((name) => ({ name, column: withAllowedRange(codebook[name]) }));
  return readColumns(host, source, columns, sink, progress);
}

/** Reads columns of a file or a part of it, block by block. */
export async function readColumns(
  host: Host,
  { file, part }: Omit<RowSource, 'study'>,
  columns: readonly { readonly name: string; readonly column: Column }[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<Edges | undefined> {
  if (isCsv(file)) {
    const { dialect } = file.format;
    const plan = { file: file.path, dialect, header: file.header, columns };
    const { start, range } = csvPart(part);
    return pumpCsv(host, file, start, csvReader(plan, sink, range), progress);
  }
  const { readParquet } = await import('../table/parquet.ts');
  const { path, bytes, format } = file;
  const all = format.groups.reduce((sum, group) => sum + group.rows, 0);
  const groups = part ?? { from: 0, to: format.groups.length };
  let rows = 0;
  await withReader(host, file, (reader) =>
    readParquet(
      asyncBuffer(reader),
      { file: path, columns },
      (block, firstRow) => {
        sink(block, firstRow);
        rows += block.rows;
        progress((bytes * rows) / all, rows);
      },
      { fromGroup: groups.from, toGroup: groups.to },
    ),
  );
  return undefined;
}

/** The columns that a study's rows are read as, each once. */
export function columnsToRead({ columns }: Agreement): string[] {
  return [...new Set(columns.map(({ name }) => name))].filter((name) => name !== SITE_COLUMN);
}

/** Turns blocks of the columns that were read into blocks a reduction takes. */
export function arrangement(
  { columns, study: { codebook } }: Agreement,
  read: readonly string[],
): (block: Block, site: string) => Block {
  const position = new Map(read.map((name, k) => [name, k]));
  const sites = codebook[SITE_COLUMN]?.levels ?? [];
  return (block, site) => ({
    rows: block.rows,
    columns: columns.map(({ name }) =>
      name === SITE_COLUMN
        ? new Float64Array(block.rows).fill(sites.indexOf(site))
        : block.columns[position.get(name)!],
    ),
  });
}
