import { CLASS_COLUMN, type ImageData, pixelNames } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import type { Source } from './source.ts';
import { joinWordings, type Wording } from './wording.ts';

/** Names that tables of pixels give the column of the class. */
const CLASS_NAMES = [CLASS_COLUMN, 'label', 'labels', 'target', 'Class', 'Label'];

/**
 * A table of pixels with the names of the study: pixels may count from 0 or 1, or be named by row and column (1x1, 1x2, …), and
 * a class may be given by its number. Any other table is left as it is.
 */
export function withPixelNames(source: Source, images: ImageData): Source {
  const wording = joinWordings(pixelWording(source.header, images), source.wording);
  return wording === undefined ? source : { ...source, wording };
}

function pixelWording(header: readonly string[], images: ImageData): Wording | undefined {
  const there = new Set(header);
  const names = pixelNames(images);
  const forms = [
    names,
    names.map((_, k) => `pixel${k}`),
    names.map((_, k) => `pixel_${k}`),
    names.map((_, k) => placeName(k, images)),
  ];
  const found = forms.find((form) => form.every((name) => there.has(name)));
  if (found === undefined) return undefined;
  const label = classColumnIn(header);
  const pairs = [
    ...(label === undefined ? [] : [[CLASS_COLUMN, label] as const]),
    ...names.map((name, k) => [name, found[k]] as const),
  ].filter(([name, own]) => name !== own);
  const texts = classNumbers(images.classes);
  if (pairs.length === 0 && texts.size === 0) return undefined;
  return {
    ...(pairs.length === 0 ? {} : { columns: new Map(pairs) }),
    ...(texts.size === 0 ? {} : { texts: new Map([[CLASS_COLUMN, texts]]) }),
  };
}

/** The name of a value by row and column, from 1; in colour also by its channel. */
function placeName(k: number, { width, channels }: ImageData): string {
  const pixel = Math.floor(k / channels);
  const place = `${Math.floor(pixel / width) + 1}x${(pixel % width) + 1}`;
  return channels === 1 ? place : `${place}x${(k % channels) + 1}`;
}

/** Numbers that stand for classes, from 0, where the classes themselves are no whole numbers. */
function classNumbers(classes: readonly string[]): ReadonlyMap<string, string> {
  if (areNumbers(classes)) return new Map();
  const numbers = classes.map((name, k) => [String(k), name] as const);
  return new Map(numbers.filter(([text]) => !classes.includes(text)));
}

/** Whether every class is a whole number as text. */
export function areNumbers(classes: readonly string[]): boolean {
  return classes.every((name) => /^\d+$/.test(name));
}

/** The column of the class in a header, if it has one. */
export function classColumnIn(header: readonly string[]): string | undefined {
  return CLASS_NAMES.find((name) => header.includes(name));
}

/** The form of the images of a table of pixels: by the names row × column, else a square; undefined for any other table. */
export function pixelShape(header: readonly string[]): ImageShape | undefined {
  const places = header.flatMap((name) => {
    const found = /^(\d+)x(\d+)(?:x(\d+))?$/.exec(name);
    return found === null ? [] : [found.slice(1).map((text) => Number(text ?? 1))];
  });
  if (places.length > 0) {
    const [height, width, channels] = [0, 1, 2].map((k) => Math.max(...places.map((at) => at[k])));
    return shapeOf(height, width, channels, places.length);
  }
  const count = header.filter((name) => /^pixel_?\d+$/.test(name)).length;
  const [grey, colour] = [Math.sqrt(count), Math.sqrt(count / 3)].map(Math.round);
  return shapeOf(grey, grey, 1, count) ?? shapeOf(colour, colour, 3, count);
}

function shapeOf(
  height: number,
  width: number,
  channels: number,
  count: number,
): ImageShape | undefined {
  const isWhole = count > 0 && height * width * channels === count;
  return isWhole && (channels === 1 || channels === 3) ? { height, width, channels } : undefined;
}
