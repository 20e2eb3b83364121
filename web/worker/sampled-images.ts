import { DataError } from '../../src/data-error.ts';
import { draftImages, holdsImages } from '../../src/rows/draft-images.ts';
import { openSource } from '../../src/rows/sources.ts';
import { CLASS_COLUMN } from '../../src/study/image-study.ts';
import { type Chosen, rowsIn } from '../tab/chosen-files.ts';
import { blobHost } from './blob-host.ts';
import { sampleOf, sheetOf } from './contact-sheet.ts';
import type { SampleOverview } from './sample.ts';
import type { Call } from './worker-messages.ts';
import { workerPool } from './worker-pool.ts';

const EACH = 5;

/** What a sample of images says about a study; undefined where it is a table. */
export async function sampledImages(
  chosen: Chosen,
  call: Call<number>,
): Promise<SampleOverview | undefined> {
  const rows = rowsIn(chosen);
  const source = await openSource(blobHost, rows, []);
  if (!holdsImages(source)) return undefined;
  const pool = workerPool();
  const watch = (_: string, total: number) => ({
    update: (bytes: number) => call.update(bytes / Math.max(1, total)),
    done: () => {},
  });
  const { data, counts } = await draftImages([rows], pool, watch).finally(() => pool.close());
  const images = await sampleOf(data, rows, EACH);
  const sheet = sheetOf(data, counts, images);
  return {
    ...{ file: source.name, bytes: source.length, columns: [] },
    rows: counts.reduce((sum, count) => sum + count, 0),
    images: { data, sheet },
  };
}

/** The refusal of a folder without images. */
export function noTable(name: string): DataError {
  return new DataError(
    'several files, and no images among them',
    { file: name },
    `give one table, or a folder of PNG files with a sub-folder for each ${CLASS_COLUMN}`,
  );
}
