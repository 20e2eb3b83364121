import { DataError } from '../data-error.ts';
import { type FileHandle, type Files, fileBytes } from './files.ts';
import type { FolderFile } from './folder-files.ts';

/** What the lists of a folder (GT-….csv of GTSRB) say about an image. */
export interface ListedImage {
  /** The list, and the row in it; counts from 1. */
  readonly place: { readonly file: string; readonly row: number };
  /** The class, where a list has classes. */
  readonly classId?: number;
}

const MOST_LIST_BYTES = 2 ** 26;

/** Lines of all lists by the image they name. A list names the images of its own folder, each once, or is refused. */
export async function listedImages(
  files: Files,
  lists: readonly FolderFile[],
  pictures: readonly FolderFile[],
): Promise<ReadonlyMap<string, ListedImage>> {
  const all = new Map<string, ListedImage>();
  const there = new Set(pictures.map(({ below }) => below));
  for (const { file, below } of lists) {
    const folder = folderIn(below);
    const names = new Set<string>();
    for (const { name, ...line } of await linesOf(files, file)) {
      const image = folder + name;
      if (!there.has(image)) throw wrongList(line.place, 'names an image that is not there');
      if (names.has(image)) throw wrongList(line.place, 'names an image twice');
      names.add(image);
      if (line.classId !== undefined || !all.has(image)) all.set(image, line);
    }
    const own = pictures.filter((one) => folderIn(one.below) === folder);
    const missed = own.find((one) => !names.has(one.below));
    if (missed !== undefined) throw wrongList({ file: file.path }, 'leaves out an image beside it');
  }
  return all;
}

function folderIn(below: string): string {
  return below.slice(0, below.lastIndexOf('/') + 1);
}

function wrongList(
  place: { readonly file: string; readonly row?: number },
  what: string,
): DataError {
  return new DataError(
    `the list ${what}`,
    place,
    'the folder and its list do not belong together: unpack both again, or move the list away',
  );
}

async function linesOf(
  files: Files,
  list: FileHandle,
): Promise<(ListedImage & { readonly name: string })[]> {
  const bytes = await fileBytes(files, list, MOST_LIST_BYTES);
  const [header, ...lines] = new TextDecoder().decode(bytes).split(/\r?\n/);
  const columns = header.split(';');
  const [image, label] = ['Filename', 'ClassId'].map((name) => columns.indexOf(name));
  const file = list.path;
  if (image < 0) {
    throw new DataError(
      'no such column in the list',
      { file, column: 'Filename' },
      'a list of images has a line Filename;Width;Height;…;ClassId, and a line for each image',
    );
  }
  return lines
    .map((line, k) => ({ cells: line.split(';'), place: { file, row: k + 1 } }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== '')
    .map(({ cells, place }) => {
      const name = cells[image] ?? '';
      if (label < 0) return { name, place };
      if (/^\d{1,5}$/.test(cells[label] ?? '')) return { name, place, classId: +cells[label] };
      throw new DataError(
        'not a whole number',
        { ...place, column: 'ClassId' },
        'the list is damaged: unpack it again',
      );
    });
}
