import { DataError } from '../data-error.ts';
import { fitPicture, otherSize, type WantedForm } from '../images/fit-picture.ts';
import { refuseVastImage } from '../images/vast-image.ts';
import { valuesOf } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import type { ByteSequence } from './byte-sequence.ts';
import type { ImageBatch } from './image-reader.ts';
import type { Opening, SourceRange } from './source.ts';

/** Bytes of the images that are read together, about: those of a study that resizes may be large. */
const BATCH_BYTES = 2 ** 25;

/** Calls `read` for parts of a range, each of at most `most` images of `each` bytes. */
export async function inBatches(
  { from, to }: SourceRange,
  most: number,
  each: number,
  read: (at: number, count: number) => Promise<void>,
): Promise<void> {
  const step = Math.min(most, Math.ceil(BATCH_BYTES / each));
  for (let at = from; at < to; at += step) await read(at, Math.min(step, to - at));
}

/** The next bytes, or `refusal` where there are fewer. */
export async function exactly(
  values: ByteSequence,
  count: number,
  refusal: () => DataError,
): Promise<Uint8Array> {
  const bytes = await values.next(count);
  if (bytes.length < count) throw refusal();
  return bytes;
}

/** Images with their classes, in the form of the study; refuses a number that stands for no class. */
export function imageBatch(
  pixels: Uint8Array,
  written: ImageShape,
  classes: Uint8Array,
  { form, classTexts, name }: { form: WantedForm; classTexts: readonly string[]; name: string },
  unknownLabel: (index: number) => DataError,
): ImageBatch {
  const odd = classes.findIndex((number) => number >= classTexts.length);
  if (odd >= 0) throw unknownLabel(odd);
  return { count: classes.length, values: inForm(pixels, written, form, name), classes };
}

function inForm(
  pixels: Uint8Array,
  written: ImageShape,
  form: WantedForm,
  file: string,
): Uint8Array {
  const { height, width, channels } = written;
  if (height === form.height && width === form.width && channels === form.channels) return pixels;
  const [each, size] = [valuesOf(written), valuesOf(form)];
  const fitted = new Uint8Array((pixels.length / each) * size);
  for (let k = 0; k * each < pixels.length; k++) {
    const values = pixels.subarray(k * each, (k + 1) * each);
    fitted.set(fitPicture({ height, width, channels, values }, form, file), k * size);
  }
  return fitted;
}

/** Refuses a file without images, with vast ones, or with images of another size than the study's. */
export function refuseUnfit(
  written: ImageShape,
  count: number,
  { images }: Opening,
  file: string,
): void {
  refuseVastImage(written, file);
  if (count === 0)
    throw new DataError('no images in the file', { file }, 'give a file with images');
  if (images === undefined || images.resize !== undefined) return;
  if (written.height === images.height && written.width === images.width) return;
  throw otherSize(written, images, file);
}

/** The refusal of a label that stands for no class of the study. */
export function unknownLabel(file: string, row: number, classes: number): DataError {
  return new DataError(
    `a label is no class of the study: its classes are numbered from 0 to ${classes - 1}`,
    { file, row },
    'check that these labels belong to the study’s classes, and their order',
  );
}
