import { DataError } from '../data-error.ts';
import { grouped } from '../text/number-text.ts';
import { baseName, type FileHandle, type Files, fileBytes, folderOf, withReader } from './files.ts';
import { type FolderFile, folderFiles } from './folder-files.ts';
import type { Opening } from './source.ts';

/** Values of an image of CIFAR: 32 × 32 pixels in three planes. */
const IMAGE_BYTES = 3072;

/** A form of CIFAR's binary version: the labels before each image, by the files that name their classes. */
export interface CifarForm {
  readonly name: string;
  /** In the order of the bytes; the last is used unless the study has the classes of another. */
  readonly labels: readonly { readonly classes: number; readonly names: string }[];
  readonly record: number;
}

const forms: readonly CifarForm[] = [
  {
    name: 'CIFAR-10',
    labels: [{ classes: 10, names: 'batches.meta.txt' }],
    record: IMAGE_BYTES + 1,
  },
  {
    name: 'CIFAR-100',
    labels: [
      { classes: 20, names: 'coarse_label_names.txt' },
      { classes: 100, names: 'fine_label_names.txt' },
    ],
    record: IMAGE_BYTES + 2,
  },
];

/** Bytes that a label may be, and a text file seldom begins with. */
const LEAST_LETTER = 32;

/** Whether a file may be of CIFAR's binary version, by its name and its first bytes; it has no mark of its own. */
export function looksLikeCifar(path: string, head: Uint8Array): boolean {
  return /\.bin$/i.test(path) && head[0] < LEAST_LETTER && head.some((byte) => byte < 9);
}

/** The files of images of a folder, or the only file; undefined where the folder holds others. */
export function cifarFiles(opening: Opening): FolderFile[] | undefined {
  const { address } = opening;
  const all = folderFiles(opening);
  if (all === undefined) return [{ file: address, below: baseName(address.path) }];
  refusePython(all, address.path);
  const own = all.filter(({ below }) => /\.bin$/i.test(below));
  const areKnown = all.every(({ below }) => /\.(bin|txt|html)$/i.test(below));
  if (own.length === 0 || !areKnown) return undefined;
  const test = own.filter(({ below }) => /(^|\/)test[^/]*$/i.test(below));
  if (test.length === 0 || test.length === own.length) return own;
  throw new DataError(
    'the folder holds images for training and for testing',
    { file: address.path },
    `give one of its files, or move ${baseName(test[0].below)} away`,
  );
}

/** Refuses the version for Python by name: it is a program to be run, not data. */
function refusePython(all: readonly FolderFile[], folder: string): void {
  const names = all.map(({ below }) => baseName(below));
  const isPython = names.some((name) => /^(data_batch_\d|batches\.meta)$/.test(name));
  const isPython100 = ['train', 'test', 'meta'].every((name) => names.includes(name));
  if (!isPython && !isPython100) return;
  throw new DataError(
    'the folder holds the Python version of CIFAR',
    { file: folder },
    'fetch the binary version (cifar-10-binary.tar.gz or cifar-100-binary.tar.gz), which is data only',
  );
}

/** The form of a file by its length, and by its labels where both forms have such a length. */
export function cifarForm(files: Files, file: FileHandle): Promise<CifarForm> {
  return withReader(files, file, async ({ size, slice }) => {
    const whole = forms.filter(({ record }) => size > 0 && size % record === 0);
    if (whole.length === 1) return whole[0];
    if (whole.length === 0) {
      throw new DataError(
        `the file has ${grouped(size)} bytes, which is no whole number of records: ${forms.map(({ name, record }) => `${name} has ${grouped(record)} bytes an image`).join(', ')}`,
        { file: file.path },
        'the file is damaged or incomplete: fetch it again',
      );
    }
    const [first, second] = whole;
    const bytes = new Uint8Array(await slice(0, Math.min(size, PROBES * first.record)));
    const isFirst = bytes.every(
      (byte, k) => k % first.record > 0 || byte < first.labels[0].classes,
    );
    return isFirst ? first : second;
  });
}

const PROBES = 100;
const MOST_NAME_BYTES = 2 ** 16;

/** Names of classes, from a file beside the images; undefined where there is none. */
export async function cifarNames(
  opening: Opening,
  name: string,
  classes: number,
): Promise<string[] | undefined> {
  const listed = opening.list()?.find(({ path }) => baseName(path) === name);
  const file = listed ?? { path: folderOf(opening.address.path) + name };
  const bytes = await fileBytes(opening.files, file, MOST_NAME_BYTES).catch((failure) => {
    if (failure instanceof DataError) throw failure;
    return undefined; // no such file
  });
  if (bytes === undefined) return undefined;
  const names = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (names.length === classes && new Set(names).size === classes) return names;
  throw new DataError(
    `the file does not have ${classes} names, one a line`,
    { file: file.path },
    'fetch the file again, or move it away: classes are numbers then',
  );
}
