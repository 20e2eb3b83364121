import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { Codebook } from './codebook.ts';
import { assertSameJson } from './same-json.ts';
import type { Feature, ImageShape, Study, StudyTerms, TableStudy } from './study.ts';
import type { Zod } from './zod.ts';

/** Images and their classes, in place of a formula and a codebook. */
export interface ImageInput {
  readonly data: ImageData;
  /** The feature map of the pixels; random convolution features unless given, the pixels themselves where empty or for a network. */
  readonly features?: readonly Feature[];
}

/** What every image of a study looks like, and the classes it may have. */
export interface ImageData extends ImageShape {
  readonly kind: 'images';
  /** In the order of the labels 0, 1, … of a labels file. */
  readonly classes: readonly string[];
  /** How images of another size are brought to this one; they are refused unless given. */
  readonly resize?: 'bilinear';
}

/** A study of images. */
export type ImageStudy = StudyTerms & ImageInput;

declare module './study.ts' {
  interface OtherInputs {
    readonly images: ImageInput;
  }
}

/** Whether a study reads images. */
export function isImageStudy(study: Study): study is ImageStudy {
  return 'data' in study && study.data.kind === 'images';
}

/** What the images of a study look like; undefined where it reads a table. */
export function imagesOf(study: Study): ImageData | undefined {
  return isImageStudy(study) ? study.data : undefined;
}

/** Most pixels of an image times its channels: columns that every row has, and a formula has at most 10,000 terms. */
const MOST_VALUES = 56 * 56 * 3;
const LONGEST_SIDE = 1024;
const MOST_CLASSES = 1000;

function dataShape(z: Zod) {
  const side = z.int().min(1).max(LONGEST_SIDE);
  return z
    .strictObject({
      kind: z.literal('images'),
      height: side,
      width: side,
      channels: z.union([z.literal(1), z.literal(3)]),
      classes: z
        .array(z.string().min(1).max(100))
        .min(2)
        .max(MOST_CLASSES)
        .refine((names) => new Set(names).size === names.length, 'classes must differ'),
      resize: z.literal('bilinear').optional(),
    })
    .refine(
      (image) => valuesOf(image) <= MOST_VALUES,
      `an image has at most ${MOST_VALUES} values (56 × 56 in colour): choose a smaller height and width`,
    );
}
assertSameJson<zod.infer<ReturnType<typeof dataShape>>, ImageData>('same');

/** Refuses images that are too large for a study that takes them as they are. */
export function refuseLargeImages(own: ImageShape, file: string): void {
  const { height, width } = own;
  if (valuesOf(own) <= MOST_VALUES && Math.max(height, width) <= LONGEST_SIDE) return;
  throw new DataError(
    `${shapeText(own)} are too large for a study: an image has at most ${MOST_VALUES} values (56 × 56 in colour)`,
    { file },
    'make the images smaller, or draft a study with a smaller height and width that resizes them ("resize": "bilinear")',
    { name: 'resize', value: '32x32' },
  );
}

/** The JSON of what a study says about its images. */
export function imageDataSchema(z: Zod): zod.ZodObject {
  return dataShape(z);
}

/** The size and colour of images, for people. */
export function shapeText({ height, width, channels }: ImageShape): string {
  return `${height} × ${width} ${channels === 1 ? 'grey' : 'colour'} images`;
}

/** The column of the class. */
export const CLASS_COLUMN = 'class';

/** Names of the columns of an image: row by row, and within a pixel channel by channel. */
export function pixelNames(shape: ImageShape): string[] {
  return Array.from({ length: valuesOf(shape) }, (_, k) => `pixel${k + 1}`);
}

/** Number of values of an image. */
export function valuesOf({ height, width, channels }: ImageShape): number {
  return height * width * channels;
}

/** Features are single precision: finer sums would say no more. */
const USUAL_GRID = 22;

/**
 * The features of a study of images that names none: 252 columns, which a site of some thousand images may send; more are
 * more accurate, and need more images. Below 16 pixels 80 columns of larger windows: small images come in small numbers, and
 * a window at the edge that is empty in all images but one would give that one away. Below 5 pixels there are none.
 */
export function usualFeatures(image: ImageShape): readonly Feature[] {
  const shorter = Math.min(image.height, image.width);
  if (shorter < 5) return [];
  if (shorter < 16) return [{ kind: 'convolution', dimension: 81, size: 3, pooling: 2, seed: 1 }];
  return [
    { kind: 'convolution', dimension: 253, size: usualSize(image, shorter), pooling: 3, seed: 1 },
  ];
}

/** Side of a filter: 7 sees a stroke or an edge of a grey image; photographs have finer ones. */
function usualSize({ channels }: ImageShape, shorter: number): number {
  if (shorter < 24) return 5;
  return channels === 1 ? 7 : 6;
}

/** A study of images as the study of a table: the class and the pixels, from 0 to 255, as columns. */
export function imageTable({ data, features, ...terms }: ImageStudy): TableStudy {
  const { height, width, channels, classes } = data;
  const image: ImageShape = { height, width, channels };
  const codebook: Codebook = {
    [CLASS_COLUMN]: { type: 'category', levels: classes, missing: [] },
    ...Object.fromEntries(
      pixelNames(image).map((name) => [
        name,
        { type: 'number', range: [0, 255], center: 0, sd: 255, missing: [] } as const,
      ]),
    ),
  };
  return {
    grid: USUAL_GRID,
    ...terms,
    formula: `${responseOf(classes, terms)} ~ .`,
    codebook,
    features: features ?? ('network' in terms.fusion ? [] : usualFeatures(image)),
    image,
  };
}

/** The classes; under noise, which takes one response, the second of two. */
function responseOf(classes: readonly string[], { privacy }: StudyTerms): string {
  if (privacy === undefined || privacy === null) return CLASS_COLUMN;
  const [, second] = classes;
  if (classes.length === 2) return `I(${CLASS_COLUMN} == ${JSON.stringify(second)})`;
  throw new DataError(
    `a private study of images tells two classes apart; this one has ${classes.length}`,
    {},
    'name two classes, such as one of them and the rest, or leave the privacy out',
  );
}
