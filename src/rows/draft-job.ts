import { defined } from '../defined.ts';
import type { Host } from './host.ts';
import type { JobProgress, Scanned, ScanRequest, Source, SourceRange } from './source.ts';
import { readerOf } from './sources.ts';

/** Scans a source, or a range of it, for what a codebook needs. */
export interface DraftJob extends ScanRequest {
  readonly kind: 'draft';
  readonly source: Source;
  readonly range?: SourceRange;
}

export type DraftResult = Pick<Scanned, 'draft'> & Partial<Scanned>;

export function scanDraft(job: DraftJob, host: Host, progress: JobProgress): Promise<DraftResult> {
  const { source, range } = job;
  const reading = { files: host, source, progress, ...defined({ range }) };
  return readerOf(host, source).scan(reading, job);
}
