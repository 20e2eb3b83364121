import type { Host } from '../../src/rows/host.ts';
import type { PredictRequest } from '../../src/rows/predict.ts';
import { openSource } from '../../src/rows/sources.ts';
import { hasColumn } from '../../src/rows/wording.ts';
import { CLASS_COLUMN, type ImageData, pixelNames } from '../../src/study/image-study.ts';
import { type ContactSheet, type Thumbnail, thumbnail } from './contact-sheet.ts';

/** The reader's own images by their predicted class. Shown in this tab only. */
export interface PredictedImages {
  readonly sheet: ContactSheet;
  /** Where the images have classes: how many images of each class are taken for each. */
  readonly confusion?: readonly (readonly number[])[];
}

/** Gathers pictures and counts while rows are predicted. */
interface PictureGatherer {
  /** Columns to read beside those of the model. */
  readonly columns: readonly string[];
  add(
    predictions: readonly Float64Array[],
    levels: readonly (readonly string[] | undefined)[],
    own: readonly Float64Array[],
  ): void;
  finish(): PredictedImages | undefined;
}

const EACH = 5;

/** Undefined classes stay out; a model that predicts no class has no pictures. */
export async function predictedImages(
  data: ImageData,
  { file, encoding }: Pick<PredictRequest, 'file' | 'encoding'>,
  host: Host,
): Promise<PictureGatherer> {
  const source = await openSource(host, file, [], encoding, undefined, data);
  const labelled = hasColumn(source, CLASS_COLUMN);
  const pixels = pixelNames(data);
  const pictures = data.classes.map((): Thumbnail[] => []);
  const counts = data.classes.map(() => data.classes.map(() => 0));
  const found = data.classes.map(() => 0);
  let known = false;
  return {
    columns: labelled ? [...pixels, CLASS_COLUMN] : pixels,
    add(predictions, levels, own) {
      const place = levels.findIndex((one) => one !== undefined);
      if (place < 0) return;
      known = true;
      predictions[place].forEach((code, r) => {
        if (Number.isNaN(code)) return;
        found[code]++;
        const label = labelled ? own[pixels.length][r] : Number.NaN;
        if (!Number.isNaN(label)) counts[label][code]++;
        if (pictures[code].length >= EACH) return;
        const values = Uint8Array.from(pixels, (_, k) => own[k][r]);
        pictures[code].push(thumbnail(values, data));
      });
    },
    finish() {
      if (!known) return undefined;
      const classes = data.classes.map((name, k) => ({
        ...{ name, count: found[k], images: pictures[k] },
      }));
      const sheet = { height: data.height, width: data.width, classes };
      return labelled ? { sheet, confusion: counts } : { sheet };
    },
  };
}
