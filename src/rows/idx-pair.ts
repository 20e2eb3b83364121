import { DataError } from '../data-error.ts';
import { baseName, type FileHandle, type Files, folderOf } from './files.ts';
import { type IdxFile, idxFile } from './idx-file.ts';
import type { Opening } from './source.ts';

/** A file of images, and the file of their labels, if there is one. */
export interface IdxPair {
  readonly images: IdxFile;
  readonly labels?: IdxFile;
}

const LOOKS_LIKE_IDX = /(\.idx\d?|idx\d?[-.]ubyte)(\.gz)?$/i;

/** The images and labels at an address: a folder, or either file. Undefined where there is no IDX file. */
export async function idxPair(opening: Opening): Promise<IdxPair | undefined> {
  const listed = opening.list();
  if (listed !== undefined) return pairIn(opening, listed);
  const given = await idxFile(opening.files, opening.address);
  if (given === undefined) return undefined;
  const { path } = given.file;
  const beside = (names: readonly string[]) =>
    firstOf(
      opening.files,
      names.map((name) => ({ path: folderOf(path) + name })),
    );
  if (isImages(given)) {
    const labels = await beside(labelNames(baseName(path)));
    return labels === undefined ? { images: given } : paired(given, labels);
  }
  const images = await beside(imageNames(baseName(path)));
  if (images !== undefined && isImages(images)) return paired(images, given);
  throw new DataError(
    'the file holds labels, and no images are beside it',
    { file: path },
    `put the images beside it, as ${imageNames(baseName(path))[0]}, or give both files`,
  );
}

async function pairIn(
  { files, address }: Opening,
  listed: readonly FileHandle[],
): Promise<IdxPair | undefined> {
  const candidates = listed.filter(({ path }) => LOOKS_LIKE_IDX.test(path));
  const found: IdxFile[] = [];
  for (const file of candidates) {
    const one = await idxFile(files, file);
    if (one !== undefined) found.push(one);
  }
  const images = found.filter(isImages);
  if (images.length === 0) return undefined;
  if (images.length > 1) {
    throw new DataError(
      `the folder holds ${images.length} files of images`,
      { file: address.path },
      `give one of them: ${images.map(({ file }) => baseName(file.path)).join(', ')}`,
    );
  }
  const labels = found.filter((one) => !isImages(one));
  const names = labelNames(baseName(images[0].file.path));
  const named = labels.find(({ file }) => names.includes(baseName(file.path)));
  const own = named ?? (labels.length === 1 ? labels[0] : undefined);
  return own === undefined ? { images: images[0] } : paired(images[0], own);
}

function paired(images: IdxFile, labels: IdxFile): IdxPair {
  if (labels.sides.length === 1 && labels.sides[0] === images.sides[0]) return { images, labels };
  throw new DataError(
    `the labels are ${labels.sides.join(' × ')}, but there are ${images.sides[0]} images`,
    { file: labels.file.path },
    'give the labels of these images: one for each of them, in the same order',
  );
}

function isImages({ sides }: IdxFile): boolean {
  return sides.length > 1;
}

/** Names that the labels of a file of images may have, and the other way round; each with and without compression. */
function labelNames(images: string): string[] {
  return packedOrNot(images.replace(/images/i, 'labels').replace(/idx[34]/i, 'idx1'));
}

function imageNames(labels: string): string[] {
  const name = labels.replace(/labels/i, 'images');
  return ['idx3', 'idx4'].flatMap((kind) => packedOrNot(name.replace(/idx1/i, kind)));
}

function packedOrNot(name: string): string[] {
  const bare = name.replace(/\.gz$/i, '');
  return [name, name === bare ? `${bare}.gz` : bare];
}

/** The first of these files that is there and is an IDX file. */
async function firstOf(
  files: Files,
  candidates: readonly FileHandle[],
): Promise<IdxFile | undefined> {
  for (const file of candidates) {
    const found = await idxFile(files, file).catch((failure) => {
      if (failure instanceof DataError) throw failure;
      return undefined; // no such file
    });
    if (found !== undefined) return found;
  }
  return undefined;
}
