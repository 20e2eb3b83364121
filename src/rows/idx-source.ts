import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { type IdxForm, idxForm } from '../images/idx.ts';
import { pixelsTogether, planes } from '../images/strides.ts';
import { valuesOf } from '../study/image-study.ts';
import { type ByteSequence, isPacked } from './byte-sequence.ts';
import { type IdxFile, withValues, wrongLength } from './idx-file.ts';
import { type IdxPair, idxPair } from './idx-pair.ts';
import { exactly, imageBatch, inBatches, refuseUnfit, unknownLabel } from './image-batches.ts';
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
  batches({ files, source }, range, most, take) {
    const { images, labels, written, classTexts } = source;
    const each = valuesOf(written);
    const read = (values: ByteSequence, classes: ByteSequence | undefined) =>
      inBatches(range, most, each, async (at, count) => {
        const bytes = await exactly(values, count * each, () => wrongLength(images));
        const numbers =
          classes === undefined
            ? new Uint8Array(count)
            : await exactly(classes, count, () => wrongLength(labels!));
        const pixels =
          written.channelSide === 'last'
            ? bytes
            : pixelsTogether(bytes, count, written, planes(written));
        const unknown = (k: number) =>
          unknownLabel(labels!.file.path, at + k + 1, classTexts.length);
        take(imageBatch(pixels, written, numbers, source, unknown));
      });
    return withValues(files, images, range.from, (values) =>
      labels === undefined
        ? read(values, undefined)
        : withValues(files, labels, range.from, (classes) => read(values, classes)),
    );
  },
});

function startsAsIdx(head: Uint8Array): boolean {
  return (head[0] === 0 && head[1] === 0) || isPacked(head);
}

function writtenForm({ sides, file }: IdxFile, opening: Opening): IdxForm {
  const written = idxForm(sides, opening.images);
  if (written === undefined || valuesOf(written) === 0) {
    throw new DataError(
      `the images are ${sides.slice(1).join(' × ')}, neither grey nor in colour`,
      { file: file.path },
      'write them as n × height × width, n × height × width × 3 or n × 3 × height × width',
    );
  }
  refuseUnfit(written, sides[0], opening, file.path);
  return written;
}

function noLabels({ file }: IdxFile): DataError {
  return new DataError(
    'no labels are beside the images',
    { file: file.path },
    'put the file of labels beside it, named like it with “labels” in place of “images”, or give both files',
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
