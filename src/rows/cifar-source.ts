import { DataError } from '../data-error.ts';
import { pixelsTogether, planes } from '../images/strides.ts';
import type { ImageShape } from '../study/study.ts';
import {
  type CifarForm,
  cifarFiles,
  cifarForm,
  cifarNames,
  looksLikeCifar,
} from './cifar-files.ts';
import { type FileHandle, withReader } from './files.ts';
import { type FolderFile, folderVersion } from './folder-files.ts';
import { imageBatch, inBatches, refuseUnfit, unknownLabel } from './image-batches.ts';
import {
  type ImageSource,
  imageForm,
  imageHeader,
  imageReader,
  labelTexts,
} from './image-reader.ts';
import { areNumbers } from './pixel-names.ts';
import { evenRanges, fileVersion, type Opening, type SourceReader } from './source.ts';

/** A file of CIFAR, and the number of its first image among those of all files. */
interface CifarPart {
  readonly file: FileHandle;
  readonly first: number;
  readonly count: number;
}

/** Images of CIFAR-10 or CIFAR-100 in the binary version. */
interface CifarSource extends ImageSource {
  readonly kind: 'cifar';
  readonly parts: readonly CifarPart[];
  /** Bytes of an image with its labels. */
  readonly record: number;
  /** Bytes of labels before an image, and the one that is used. */
  readonly labels: number;
  readonly label: number;
}

const shape: ImageShape = { height: 32, width: 32, channels: 3 };

/** The binary version of CIFAR-10 and CIFAR-100: files of records, each labels and an image in three planes. */
export const cifarSource: SourceReader<CifarSource> = imageReader<CifarSource>({
  kind: 'cifar',
  async matches(opening) {
    if (opening.list() !== undefined) return cifarFiles(opening) !== undefined;
    return looksLikeCifar(opening.address.path, await opening.head());
  },
  version: (opening) => versionOf(opening, cifarFiles(opening)!),
  async open(opening) {
    const files = cifarFiles(opening)!;
    const { form: written, parts, count } = await partsOf(opening, files);
    refuseUnfit(shape, count, opening, opening.address.path);
    const version = await versionOf(opening, files);
    const form = imageForm(opening, shape);
    return {
      ...{ kind: 'cifar', name: opening.address.path, header: imageHeader(form, true) },
      ...{ length: version.bytes, version, form, count, parts },
      ...{ record: written.record, labels: written.labels.length },
      ...(await classesOf(opening, written)),
    };
  },
  cut: ({ count }, pieces) => evenRanges(count, pieces),
  async batches({ files, source }, range, most, take) {
    const { parts, record, labels, label, classTexts } = source;
    const strides = { ...planes(shape), image: record };
    for (const { file, first, count: own } of parts) {
      const from = Math.max(range.from, first);
      const to = Math.min(range.to, first + own);
      if (from >= to) continue;
      await withReader(files, file, (reader) =>
        inBatches({ from, to }, most, record, async (at, count) => {
          const start = (at - first) * record;
          const bytes = new Uint8Array(await reader.slice(start, start + count * record));
          if (bytes.length < count * record) throw shortened(file);
          const classes = Uint8Array.from({ length: count }, (_, k) => bytes[k * record + label]);
          const pixels = pixelsTogether(bytes.subarray(labels), count, shape, strides);
          const unknown = (k: number) =>
            unknownLabel(file.path, at - first + k + 1, classTexts.length);
          take(imageBatch(pixels, shape, classes, source, unknown));
        }),
      );
    }
  },
});

async function partsOf({ files }: Opening, own: readonly FolderFile[]) {
  const form = await cifarForm(files, own[0].file);
  const parts: CifarPart[] = [];
  let first = 0;
  for (const { file } of own) {
    if ((await cifarForm(files, file)) !== form) {
      throw new DataError(
        'some files are of CIFAR-10 and some of CIFAR-100',
        { file: file.path },
        'give files of one of them',
      );
    }
    const count = await withReader(files, file, ({ size }) => size / form.record);
    parts.push({ file, first, count });
    first += count;
  }
  return { form, parts, count: first };
}

/** The label to use and what it says: names where a file beside the images has them, else numbers or the study's classes. */
async function classesOf(
  opening: Opening,
  { labels }: CifarForm,
): Promise<Pick<CifarSource, 'label' | 'classTexts'>> {
  const last = labels.length - 1;
  const wanted = opening.images?.classes;
  const numbers = { label: last, classTexts: labelTexts(opening).slice(0, labels[last].classes) };
  if (wanted !== undefined && areNumbers(wanted)) return numbers;
  const named = await Promise.all(
    labels.map(({ names, classes }) => cifarNames(opening, names, classes)),
  );
  const own = named.findIndex((names) => wanted?.every((one) => names?.includes(one)) ?? false);
  const label = own < 0 ? last : own;
  const classTexts = named[label];
  return classTexts === undefined ? numbers : { label, classTexts };
}

function shortened({ path }: FileHandle): DataError {
  return new DataError(
    'the file became shorter while it was read',
    { file: path },
    'wait until it is whole, and give it again',
  );
}

async function versionOf(opening: Opening, files: readonly FolderFile[]) {
  if (opening.list() !== undefined) return folderVersion(opening, files);
  return { ...(await fileVersion(opening)), bytes: (await opening.file()).size };
}
