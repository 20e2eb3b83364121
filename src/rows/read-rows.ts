import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { withAllowedRange } from '../features/reference.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import { type Codebook, SITE_COLUMN } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import type { Block, BlockSink, Misfits } from '../table/columns.ts';
import type { Host } from './host.ts';
import type { JobProgress, Source, SourceRange, WantedColumn } from './source.ts';
import { readerOf } from './sources.ts';
import { nameInFile, wordedColumn } from './wording.ts';

/** A source, or a range of it, and its study. */
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
  misfits: Misfits = 'refuse',
): Promise<SourceRange> {
  const columns = names.map((name) => ({
    name,
    column: withAllowedRange(codebook[name]),
    misfits,
  }));
  return readColumns(host, rows, columns, sink, progress);
}

/** What becomes of cells that the codebook does not allow. In a private study a refusal would tell about rows. */
export function misfitsIn({ method }: Pick<Agreement, 'method'>): Misfits {
  return method.noise === undefined ? 'refuse' : 'allow';
}

/** Reads columns of a source or a range of it, block by block; returns the range that was really read. */
export function readColumns(
  host: Host,
  { source, range }: Omit<RowSource, 'study'>,
  columns: readonly WantedColumn[],
  sink: BlockSink,
  progress: JobProgress,
): Promise<SourceRange> {
  const reading = { files: host, source, progress, ...defined({ range }) };
  const wanted = columns.map((column) => ({
    ...wordedColumn(source, column),
    name: nameInFile(source, column.name),
  }));
  return readerOf(host, source).read(reading, wanted, sink);
}

/** The columns that a study reads, each once. */
export function columnsToRead({ columns }: Agreement): string[] {
  return [...new Set(columns.map(({ name }) => name))].filter((name) => name !== SITE_COLUMN);
}

/** Rearranges blocks of the read columns for a reduction. */
export function arrangement(
  agreed: Agreement,
  read: readonly string[],
): (block: Block, site: string) => Block {
  const position = new Map(read.map((name, k) => [name, k]));
  const { columns } = agreed;
  const sites = codebookIn(agreed)[SITE_COLUMN]?.levels ?? [];
  return (block, site) => ({
    ...block,
    columns: columns.map(({ name }) =>
      name === SITE_COLUMN
        ? new Float64Array(block.rows).fill(levelOf(site, sites))
        : block.columns[position.get(name)!],
    ),
  });
}

/** The place of a site among those that a study with site effects lists. */
function levelOf(site: string, sites: readonly string[]): number {
  const level = sites.indexOf(site);
  if (level >= 0) return level;
  throw new DataError(
    `the study has no site named "${site}"`,
    { column: SITE_COLUMN },
    `its sites are ${sites.join(', ')}: name the file after its site`,
  );
}
