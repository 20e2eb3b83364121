import type { Draft } from '../table/draft.ts';
import { draftScan } from '../table/draft-scan.ts';
import { type Host, withReader } from './host.ts';
import type { JobProgress } from './read-rows.ts';
import {
  asyncBuffer,
  csvPart,
  type Edges,
  type FilePart,
  isCsv,
  pumpCsv,
  type TableFile,
} from './table-file.ts';

/** Look through a table file, or a part of it, for what a codebook needs to know. */
export interface DraftJob {
  readonly kind: 'draft';
  readonly file: TableFile;
  readonly part?: FilePart;
  readonly wanted: readonly string[];
  /** Columns of which every distinct text is wanted. */
  readonly texts: readonly string[];
  /** Missing markers besides the usual ones. */
  readonly missing: readonly string[];
  readonly decimal: '.' | ',';
}

export interface DraftResult {
  readonly draft: Draft;
  readonly edges?: Edges;
}

export async function scanDraft(
  job: DraftJob,
  host: Host,
  progress: JobProgress,
): Promise<DraftResult> {
  const { file, part, wanted, missing, decimal } = job;
  const texts = new Set(job.texts);
  if (isCsv(file)) {
    const { start, range } = csvPart(part);
    const options = { ...range, at: start, texts, missing, decimal };
    const scan = draftScan(file.format.dialect, file.header, wanted, file.path, options);
    const edges = await pumpCsv(host, file, start, scan.stream, progress);
    return { draft: scan.draft(), edges };
  }
  const { draftParquet } = await import('../table/draft-parquet.ts');
  const range = part === undefined ? undefined : { fromGroup: part.from, toGroup: part.to };
  const draft = await withReader(host, file, (reader) =>
    draftParquet(asyncBuffer(reader), wanted, file.path, { texts, missing, decimal }, range),
  );
  progress(file.bytes, 0);
  return { draft };
}
