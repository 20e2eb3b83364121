import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import { agreement } from '../../federate.ts';
import type { Pool } from '../../rows/pool.ts';
import type { Watch } from '../../rows/watch.ts';
import {
  explainedReading,
  explainFile,
  type FileExplanation,
} from '../../site/file-explanation.ts';
import type { Study } from '../../study/study.ts';
import { draftedNumbers } from '../../table/draft-cells.ts';
import { createPool } from '../compute/pool.ts';

/** How the files of a refused fit were read. */
export interface RefusedReading {
  /** Gives the study, where the codebook was given; without one the refused column was taken for numbers. */
  studyOf?(pool: Pool): Promise<Study>;
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missingMarkers?: readonly string[];
}

/** Which cells of a file a fit has refused, for the person who owns it; undefined for any other failure. */
export async function explainRefused(
  failure: unknown,
  { studyOf, encoding, decimal, missingMarkers = [] }: RefusedReading,
  watch: Watch,
): Promise<FileExplanation | undefined> {
  if (!(failure instanceof DataError)) return undefined;
  const { file, row, column } = failure.place;
  if (file === undefined || row === undefined || column === undefined) return undefined;
  const drafted = draftedNumbers({ missing: missingMarkers, ...defined({ decimal }) });
  const pool = createPool(1);
  try {
    const reading =
      studyOf === undefined
        ? { columns: [{ name: column, column: drafted, anyUnit: true as const }] }
        : explainedReading(agreement(await studyOf(pool)), defined({ decimal }));
    return await explainFile({ ...reading, ...defined({ encoding }) }, { path: file }, pool, watch);
  } finally {
    await pool.close();
  }
}
