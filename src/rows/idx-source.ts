import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { fitPicture, otherSize } from '../images/fit-picture.ts';
import { channelsTogether, type IdxForm, idxForm } from '../images/idx.ts';
import { refuseVastImage } from '../images/vast-image.ts';
import { valuesOf } from '../study/image-study.ts';
import { type ByteSequence, isPacked } from './byte-sequence.ts';
import { type IdxFile, withValues, wrongLength } from './idx-file.ts';
import { type IdxPair, idxPair } from './idx-pair.ts';
import {
  type ImageSource,
  imageForm,
  imageHeader,
  imageReader,
  labelTexts,
} from './image-reader.ts';
import { evenRanges, type Opening, type SourceReader, type SourceVersion } from './source.ts';

/** Images in an IDX file, and their labels in another. */
interface IdxSource extends ImageSource, IdxPair {
  readonly kind: 'idx';
  /** How the images are written. */
  readonly written: IdxForm;
}

/** IDX files, such as those of MNIST: a file of images, and a file of labels beside it. */
export const idxSource: SourceReader<IdxSource> = imageReader<IdxSource>({
  kind: 'idx',
  async matches(opening) {
    if (opening.list() === undefined && !startsAsIdx(await opening.head())) return false;
    return (await idxPair(opening)) !== undefined;
  },
  version: async (opening) => versionOf((await idxPair(opening))!),
  async open(opening) {
    const pair = (await idxPair(opening))!;
    const { images, labels } = pair;
    const { path: name } = opening.address;
    const written = writtenForm(images, opening);
    if (labels === undefined && opening.images?.labels === 'needed') throw noLabels(images);
    const form = imageForm(opening, written);
    return {
      kind: 'idx',
      name,
      header: imageHeader(form, labels !== undefined),
      length: images.length,
      version: versionOf(pair),
      ...pair,
      form,
      written,
      count: images.sides[0],
      classTexts: labelTexts(opening),
    };
  },
  // What is compressed can only be read from its start.
  cut: ({ images, count }, pieces) => (images.packed ? [] : evenRanges(count, pieces)),
  batches({ files, source }, { from, to }, most, take) {
    const { images, labels, written, classTexts: texts } = source;
    const each = valuesOf(written);
    const read = (values: ByteSequence, classes: ByteSequence | undefined) =>
      inBatches(from, to, Math.min(most, Math.ceil(BATCH_BYTES / each)), async (at, count) => {
        const bytes = await exactly(values, count * each, images);
        const numbers =
          classes === undefined ? new Uint8Array(count) : await exactly(classes, count, labels!);
        const odd = numbers.findIndex((number) => number >= texts.length);
        if (odd >= 0) throw unknownLabel(labels!, at + odd + 1, texts.length);
        take({ count, values: inForm(bytes, source), classes: numbers });
      });
    return withValues(files, images, from, (values) =>
      labels === undefined
        ? read(values, undefined)
        : withValues(files, labels, from, (classes) => read(values, classes)),
    );
  },
});

/** Bytes of the images that are read together, about: those of a study that resizes may be large. */
const BATCH_BYTES = 2 ** 25;

function startsAsIdx(head: Uint8Array): boolean {
  return (head[0] === 0 && head[1] === 0) || isPacked(head);
}

async function inBatches(
  from: number,
  to: number,
  most: number,
  read: (at: number, count: number) => Promise<void>,
): Promise<void> {
  for (let at = from; at < to; at += most) await read(at, Math.min(most, to - at));
}

async function exactly(values: ByteSequence, count: number, file: IdxFile): Promise<Uint8Array> {
  const bytes = await values.next(count);
  if (bytes.length < count) throw wrongLength(file);
  return bytes;
}

/** Images in the form of the study. */
function inForm(bytes: Uint8Array, { written, form, name }: IdxSource): Uint8Array {
  const { height, width, channels, channelSide } = written;
  const together = channelSide === 'last' ? bytes : channelsTogether(bytes, written);
  if (height === form.height && width === form.width && channels === form.channels) return together;
  const [each, size] = [valuesOf(written), valuesOf(form)];
  const fitted = new Uint8Array((bytes.length / each) * size);
  for (let k = 0; k * each < bytes.length; k++) {
    const values = together.subarray(k * each, (k + 1) * each);
    fitted.set(fitPicture({ height, width, channels, values }, form, name), k * size);
  }
  return fitted;
}

function writtenForm({ sides, file }: IdxFile, { images }: Opening): IdxForm {
  const written = idxForm(sides, images);
  const place = { file: file.path };
  if (written === undefined || valuesOf(written) === 0) {
    throw new DataError(
      `the images are ${sides.slice(1).join(' × ')}, neither grey nor in colour`,
      place,
      'write them as n × height × width, n × height × width × 3 or n × 3 × height × width',
    );
  }
  refuseVastImage(written, file.path);
  if (sides[0] === 0)
    throw new DataError('no images in the file', place, 'give a file with images');
  if (images === undefined || images.resize !== undefined) return written;
  if (written.height === images.height && written.width === images.width) return written;
  throw otherSize(written, images, file.path);
}

function noLabels({ file }: IdxFile): DataError {
  return new DataError(
    'no labels are beside the images',
    { file: file.path },
    'put the file of labels beside it, named like it with “labels” in place of “images”, or give both files',
  );
}

function unknownLabel({ file }: IdxFile, row: number, classes: number): DataError {
  return new DataError(
    `a label is no class of the study: its classes are numbered from 0 to ${classes - 1}`,
    { file: file.path, row },
    'check that these labels belong to the study’s classes, and their order',
  );
}

function versionOf({ images, labels }: IdxPair): SourceVersion {
  const { fullPath: path, length: bytes, modified } = images;
  return {
    path,
    bytes,
    modified,
    ...defined({ labelBytes: labels?.length, labelsModified: labels?.modified }),
  };
}
