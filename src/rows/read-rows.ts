import { withAllowedRange } from '../features/reference.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import type { Block, BlockSink } from '../table/columns.ts';
import type { Host } from './host.ts';
import type { JobProgress, Source, SourceRange, WantedColumn } from './source.ts';
import { readerOf } from './sources.ts';

/** A source, or a range of it, and the study it is read for. */
export interface RowSource {
  readonly study: Study;
  readonly source: Source;
  readonly range?: SourceRange;
}

/** Reads columns that a codebook knows by name. */
export function readTable(
  host: Host,
  rows: Omit<RowSource, 'study'>,
  codebook: Codebook,
  names: readonly string[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<SourceRange> {
  const columns = names.map((name) => ({ name, column: withAllowedRange(codebook[name]) }));
  return readColumns(host, rows, columns, sink, progress);
}

/** Reads columns of a source or a range of it, block by block; says which range was really read. */
export function readColumns(
  host: Host,
  { source, range }: Omit<RowSource, 'study'>,
  columns: readonly WantedColumn[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<SourceRange> {
  const reading = { files: host, source, progress, ...(range === undefined ? {} : { range }) };
  return readerOf(host, source).read(reading, columns, sink);
}

/** The columns that a study's rows are read as, each once. */
export function columnsToRead({ columns }: Agreement): string[] {
  return [...new Set(columns.map(({ name }) => name))].filter((name) => name !== SITE_COLUMN);
}

/** Turns blocks of the columns that were read into blocks a reduction takes. */
export function arrangement(
  agreed: Agreement,
  read: readonly string[],
): (block: Block, site: string) => Block {
  const position = new Map(read.map((name, k) => [name, k]));
  const { columns } = agreed;
  const sites = codebookIn(agreed)[SITE_COLUMN]?.levels ?? [];
  return (block, site) => ({
    rows: block.rows,
    columns: columns.map(({ name }) =>
      name === SITE_COLUMN
        ? new Float64Array(block.rows).fill(sites.indexOf(site))
        : block.columns[position.get(name)!],
    ),
  });
}
