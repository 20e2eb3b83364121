import { DataError } from '../data-error.ts';
import type { ImageShape } from '../study/study.ts';
import type { Picture } from './picture.ts';

/** The form that images get: that of the study, and whether others are resized to it. */
export interface WantedForm extends ImageShape {
  readonly resize?: 'bilinear';
}

/** The values of a picture in the form of the study; refuses another size unless the study resizes. */
export function fitPicture(picture: Picture, wanted: WantedForm, file: string): Uint8Array {
  const sized = sameSize(picture, wanted, file);
  if (sized.channels === wanted.channels) return sized.values;
  return wanted.channels === 1 ? toGrey(sized) : toColour(sized);
}

function sameSize(picture: Picture, wanted: WantedForm, file: string): Picture {
  const { height, width } = picture;
  if (height === wanted.height && width === wanted.width) return picture;
  if (wanted.resize === 'bilinear') return resized(picture, wanted.height, wanted.width);
  throw otherSize(picture, wanted, file);
}

/** The refusal of images of another size than the study's. */
export function otherSize(
  found: { readonly height: number; readonly width: number },
  wanted: ImageShape,
  file: string,
): DataError {
  return new DataError(
    `an image has ${found.height} × ${found.width} pixels; the study needs ${wanted.height} × ${wanted.width}`,
    { file },
    'bring the images to this size, or ask for a study that resizes them ("resize": "bilinear")',
  );
}

/** Grey as ITU-R 601-2 weighs red, green and blue, in whole numbers, as Pillow does. */
function toGrey({ height, width, values }: Picture): Uint8Array {
  return Uint8Array.from(
    { length: height * width },
    (_, k) =>
      (19_595 * values[3 * k] + 38_470 * values[3 * k + 1] + 7471 * values[3 * k + 2] + 32_768) >>
      16,
  );
}

function toColour({ height, width, values }: Picture): Uint8Array {
  return Uint8Array.from({ length: 3 * height * width }, (_, k) => values[Math.floor(k / 3)]);
}

/** Neighbours of a new pixel along one side, and the weight of the second out of `of`. */
interface Between {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
  readonly of: number;
}

/**
 * Bilinear, with pixel centres at half steps, in whole numbers: the mean of four neighbours, weighted exactly and rounded half
 * up, so that it has the same bits everywhere.
 */
export function resized(picture: Picture, height: number, width: number): Picture {
  const { channels, values } = picture;
  const rows = Array.from({ length: height }, (_, y) => between(y, picture.height, height));
  const columns = Array.from({ length: width }, (_, x) => between(x, picture.width, width));
  const out = new Uint8Array(height * width * channels);
  let at = 0;
  for (const row of rows) {
    for (const column of columns) {
      for (let c = 0; c < channels; c++) {
        const value = (y: number, x: number) => values[(y * picture.width + x) * channels + c];
        const along = (y: number) =>
          value(y, column.first) * (column.of - column.weight) +
          value(y, column.second) * column.weight;
        const sum = along(row.first) * (row.of - row.weight) + along(row.second) * row.weight;
        const parts = row.of * column.of;
        out[at++] = Math.floor((2 * sum + parts) / (2 * parts));
      }
    }
  }
  return { height, width, channels, values: out };
}

function between(place: number, from: number, to: number): Between {
  const of = 2 * to;
  const exact = Math.min(Math.max(0, (2 * place + 1) * from - to), of * (from - 1));
  const first = Math.floor(exact / of);
  return { first, second: Math.min(first + 1, from - 1), weight: exact - first * of, of };
}
