import { defined } from '../defined.ts';
import type { Host } from './host.ts';
import type { JobProgress, Scanned, ScanRequest, Source, SourceRange } from './source.ts';
import { readerOf } from './sources.ts';
import { nameInFile } from './wording.ts';

/** Scans a source, or a range of it, for what a codebook needs. */
export interface DraftJob extends ScanRequest {
  readonly kind: 'draft';
  readonly source: Source;
  readonly range?: SourceRange;
}

export type DraftResult = Pick<Scanned, 'draft'> & Partial<Scanned>;

export async function scanDraft(
  job: DraftJob,
  host: Host,
  progress: JobProgress,
): Promise<DraftResult> {
  const { source, range } = job;
  const reading = { files: host, source, progress, ...defined({ range }) };
  const inFile = (name: string) => nameInFile(source, name);
  const request = { ...job, wanted: job.wanted.map(inFile), texts: job.texts.map(inFile) };
  const { draft, edges } = await readerOf(host, source).scan(reading, request);
  const columns = new Map(
    job.wanted.flatMap((name) => {
      const column = draft.columns.get(inFile(name));
      return column === undefined ? [] : [[name, column] as const];
    }),
  );
  return { draft: { ...draft, columns }, edges };
}
