import { defined } from '../../src/defined.ts';
import { type SampledImage, sampleImages } from '../../src/rows/sample-images.ts';
import type { Address } from '../../src/rows/source.ts';
import { openSource } from '../../src/rows/sources.ts';
import { joinWordings, type Wording } from '../../src/rows/wording.ts';
import { CLASS_COLUMN, type ImageData, imagesOf } from '../../src/study/image-study.ts';
import type { ImageShape, Study } from '../../src/study/study.ts';
import type { ColumnSummary } from '../../src/table/describe.ts';
import { blobHost } from './blob-host.ts';

/** Some images of each class of a file, and how many it has. It is shown in this tab and never sent. */
export interface ContactSheet {
  readonly height: number;
  readonly width: number;
  readonly classes: readonly SheetClass[];
}

/** The images of one class. */
export interface SheetClass {
  readonly name: string;
  readonly count: number;
  readonly images: readonly Thumbnail[];
}

/** The pixels of an image as a canvas takes them: red, green, blue and opaque, a byte each. */
export type Thumbnail = Uint8ClampedArray<ArrayBuffer>;

const EACH = 5;

/** The contact sheet of a file; undefined where the study reads no images. */
export async function contactSheet(
  study: Study,
  rows: Address,
  { encoding, wording }: { readonly encoding?: string; readonly wording?: Wording },
  { columns }: ColumnSummary,
): Promise<ContactSheet | undefined> {
  const data = imagesOf(study);
  const counted = columns[CLASS_COLUMN];
  if (data === undefined || counted?.kind !== 'category') return undefined;
  const images = await sampleOf(data, rows, EACH, encoding, wording);
  return sheetOf(data, counted.counts, images);
}

/** A contact sheet of sampled images. */
export function sheetOf(
  data: ImageData,
  counts: readonly number[],
  images: readonly SampledImage[],
): ContactSheet {
  const classes = data.classes.map((name, k) => ({
    name,
    count: counts[k],
    images: images
      .filter(({ className }) => className === name)
      .map(({ values }) => thumbnail(values, data)),
  }));
  return { height: data.height, width: data.width, classes };
}

/** Some images of a file in the form of a study. */
export async function sampleOf(
  data: ImageData,
  rows: Address,
  most: number,
  encoding?: string,
  wording?: Wording,
): Promise<SampledImage[]> {
  const opened = await openSource(blobHost, rows, [], encoding, undefined, data);
  const source = { ...opened, ...defined({ wording: joinWordings(opened.wording, wording) }) };
  return sampleImages(blobHost, source, data, most);
}

/** The pixels of an image for a canvas. */
export function thumbnail(values: Uint8Array, { height, width, channels }: ImageShape): Thumbnail {
  const pixels = new Uint8ClampedArray(4 * height * width);
  for (let k = 0; k < height * width; k++) {
    for (let c = 0; c < 3; c++) pixels[4 * k + c] = values[channels === 1 ? k : 3 * k + c];
    pixels[4 * k + 3] = 255;
  }
  return pixels;
}
