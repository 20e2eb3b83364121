import { DataError } from '../data-error.ts';
import { valuesOf } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import type { Design } from './design.ts';

/** The form of the images that a map needs; refuses a design of a table. */
export function neededImage({ image }: Design, noun: string): ImageShape {
  if (image !== undefined) return image;
  throw new DataError(
    `a ${noun} needs images, and the study has a formula`,
    {},
    `give a study of images, or leave the ${noun} out`,
  );
}

/** Refuses a formula that leaves out a part of the image, or adds to it. */
export function refusePartOfImage(image: ImageShape, columns: number, noun: string): void {
  if (columns === valuesOf(image)) return;
  throw new DataError(
    `a ${noun} needs all ${valuesOf(image)} values of an image, and the formula has ${columns}`,
    {},
    `leave out the ${noun}, or nothing of the image`,
  );
}
