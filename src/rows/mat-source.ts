import { DataError } from '../data-error.ts';
import { isMat, MAT_BYTES } from '../images/mat.ts';
import { columnPlanes, pixelsTogether } from '../images/strides.ts';
import { valuesOf } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import { listed } from '../text/number-text.ts';
import type { ByteSequence } from './byte-sequence.ts';
import { baseName, type FileHandle, withReader } from './files.ts';
import { folderFiles } from './folder-files.ts';
import { exactly, imageBatch, inBatches, refuseUnfit, unknownLabel } from './image-batches.ts';
import {
  type ImageSource,
  imageForm,
  imageHeader,
  imageReader,
  labelTexts,
} from './image-reader.ts';
import { damaged, matArrays, type PlacedArray, withArray } from './mat-file.ts';
import { evenRanges, type Opening, type SourceReader, type SourceVersion } from './source.ts';

/** Images in a MAT-file: X is h × w × c × n, and y their labels. */
interface MatSource extends ImageSource {
  readonly kind: 'mat';
  readonly file: FileHandle;
  readonly written: ImageShape;
  readonly images: PlacedArray;
  readonly labels?: PlacedArray;
}

/** In SVHN's labels 10 stands for the digit 0. */
const ZERO = 10;

/** MAT-files of MATLAB such as those of SVHN: the array X holds the images, y the labels from 1 to 10. */
export const matSource: SourceReader<MatSource> = imageReader<MatSource>({
  kind: 'mat',
  async matches(opening) {
    const own = folderFiles(opening);
    if (own === undefined) return isMat(await opening.head());
    return own.length > 0 && own.every(({ below }) => /\.mat$/i.test(below));
  },
  version: (opening) => versionOf(opening, matFile(opening)),
  async open(opening) {
    const file = matFile(opening);
    const arrays = await matArrays(opening.files, file);
    const images = arrayNamed('X', arrays, file);
    const written = shapeOf(images, file);
    const count = images.sides[3];
    refuseUnfit(written, count, opening, file.path);
    if (images.values.bytes !== count * valuesOf(written)) throw damaged(file);
    const needed = opening.images?.labels === 'needed' || arrays.some(({ name }) => name === 'y');
    const labels = needed ? arrayNamed('y', arrays, file) : undefined;
    if (labels !== undefined && labels.values.bytes !== count) {
      throw new DataError(
        `y is ${labels.sides.join(' × ')}, but there are ${count} images`,
        { file: file.path },
        'give y one label for each image, in the same order',
      );
    }
    const version = await versionOf(opening, file);
    const form = imageForm(opening, written);
    return {
      ...{ kind: 'mat', name: opening.address.path, version, form, written, count, file, images },
      header: imageHeader(form, labels !== undefined),
      length: version.bytes,
      classTexts: labelTexts(opening),
      ...(labels && { labels }),
    };
  },
  // What is compressed can only be read from its start.
  cut: ({ images, count }, pieces) => (images.packed ? [] : evenRanges(count, pieces)),
  batches({ files, source }, range, most, take) {
    const { file, images, labels, written, classTexts, count: all } = source;
    const each = valuesOf(written);
    const read = async (values: ByteSequence, classes: ByteSequence | undefined) => {
      const lost = () => damaged(file);
      await inBatches(range, most, each, async (at, count) => {
        const bytes = await exactly(values, count * each, lost);
        const pixels = pixelsTogether(bytes, count, written, columnPlanes(written));
        const numbers =
          classes === undefined
            ? new Uint8Array(count)
            : (await exactly(classes, count, lost)).map((label) => (label === ZERO ? 0 : label));
        if (at + count === all && images.packed) await refuseDamaged(values, images, file);
        if (at + count === all && labels?.packed) await refuseDamaged(classes!, labels, file);
        const unknown = (k: number) => unknownLabel(file.path, at + k + 1, classTexts.length);
        take(imageBatch(pixels, written, numbers, source, unknown));
      });
    };
    return withArray(files, file, images, range.from * each, (values) =>
      labels === undefined
        ? read(values, undefined)
        : withArray(files, file, labels, range.from, (classes) => read(values, classes)),
    );
  },
});

/** Refuses a compressed array whose checksum does not hold, which is known at its end. */
async function refuseDamaged(
  rest: ByteSequence,
  { length, values }: PlacedArray,
  file: FileHandle,
): Promise<void> {
  await rest.skip(length - values.start - values.bytes);
  if (!(await rest.ended())) throw damaged(file);
}

/** The file at an address, or the only one of a folder. */
function matFile(opening: Opening): FileHandle {
  const { address } = opening;
  const own = folderFiles(opening)?.map(({ file }) => file) ?? [address];
  if (own.length === 1) return own[0];
  throw new DataError(
    `the folder holds ${own.length} files of images`,
    { file: address.path },
    `give one of them: ${listed(own.map(({ path }) => baseName(path)))}`,
  );
}

function arrayNamed(
  name: 'X' | 'y',
  arrays: readonly PlacedArray[],
  file: FileHandle,
): PlacedArray {
  const found = arrays.find((one) => one.name === name);
  if (found?.values.kind === MAT_BYTES) return found;
  throw new DataError(
    found === undefined ? `no array ${name} in the MAT-file` : `${name} is not of whole bytes`,
    { file: file.path },
    'save the images as X, uint8, height × width × channels × images, and their labels as y, uint8, as SVHN has them',
  );
}

function shapeOf({ sides }: PlacedArray, file: FileHandle): ImageShape {
  const [height, width, channels] = sides;
  if (sides.length === 4 && (channels === 1 || channels === 3)) return { height, width, channels };
  throw new DataError(
    `X is ${sides.join(' × ')}`,
    { file: file.path },
    'save X as height × width × channels × images, with one channel or three',
  );
}

function versionOf(
  { files }: Opening,
  file: FileHandle,
): Promise<SourceVersion & { readonly bytes: number }> {
  return withReader(files, file, ({ fullPath = file.path, size, modified = 0 }) => ({
    ...{ path: fullPath, bytes: size, modified },
  }));
}
