import { readFileSync } from 'node:fs';
import type { ExportedModel } from '../src/export/exported-model.ts';
import {
  CLASS_COLUMN,
  type ImageInput,
  type ImageStudy,
  imageTable,
  pixelNames,
} from '../src/study/image-study.ts';
import type { Feature } from '../src/study/study.ts';
import { someImages, type TestImages } from './image-files.ts';
import { everyRow, federated, type Table } from './tables.ts';

/** A model of images, and the images it is of. */
export interface ImageModel {
  readonly model: ExportedModel;
  readonly table: Table;
  readonly images: TestImages;
}

/** A classifier of the digits by the features that a study has unless it names others, over the first of those held out. */
export function digitsModel(count: number): ImageModel {
  const file = (name: string) =>
    readFileSync(new URL(`../examples/digits/held-out-${name}-ubyte`, import.meta.url));
  const pixels = file('images.idx3').subarray(16);
  const labels = [...file('labels.idx1').subarray(8, 8 + count)];
  const values = labels.map((_, r) => pixels.subarray(64 * r, 64 * r + 64));
  const form = { height: 8, width: 8, channels: 1 } as const;
  const classes = Array.from({ length: 10 }, (_, digit) => String(digit));
  return fitted(
    imageRows({ data: { kind: 'images', ...form, classes } }, { ...form, values, labels }),
  );
}

/** A classifier of drawn images, by features of its own. */
export function drawnModel(
  form: Pick<TestImages, 'height' | 'width' | 'channels'>,
  features: readonly Feature[],
  count = 60,
): ImageModel {
  return fitted(drawnImages(form, features, count));
}

/** A study of drawn images, and its rows. */
export function drawnImages(
  form: Pick<TestImages, 'height' | 'width' | 'channels'>,
  features: readonly Feature[],
  count = 60,
): ImageRows {
  const classes = ['cat', 'dog', 'owl'];
  const images = someImages(count, form, classes.length);
  return imageRows({ data: { kind: 'images', ...form, classes }, features }, images);
}

interface ImageRows extends Omit<ImageModel, 'model'> {
  readonly study: ImageStudy;
}

function imageRows(input: ImageInput, images: TestImages): ImageRows {
  const study: ImageStudy = {
    schema: 'suffice/study@1',
    ...input,
    fusion: { kind: 'ridge', ridge: 0.1 },
    arithmetic: 'exact',
  };
  const { values, labels } = images;
  const { codebook } = imageTable(study);
  const table: Table = {
    rows: labels.length,
    codebook,
    cells: {
      [CLASS_COLUMN]: Float64Array.from(labels),
      ...Object.fromEntries(
        pixelNames(study.data).map((name, k) => [name, Float64Array.from(values, (one) => one[k])]),
      ),
    },
  };
  return { study, table, images };
}

function fitted({ study, table, images }: ImageRows): ImageModel {
  const { report } = federated(study, table, [everyRow(table)]);
  if (typeof report === 'string') throw new Error(report);
  return { model: { study, report }, table, images };
}
