import { DataError } from '../data-error.ts';
import { classFolders, type ImageLabels, namedLabels } from './folder-classes.ts';
import { type FolderFile, folderFiles } from './folder-files.ts';
import { unknownLabel } from './image-batches.ts';
import { labelTexts } from './image-reader.ts';
import type { FoundPictures } from './picture-folder.ts';
import { type ListedImage, listedImages } from './ppm-list.ts';
import type { Opening } from './source.ts';

/** The PPM files of a folder, their lists, and their classes; refuses other files, since an image left out would be missed. */
export async function ppmFiles(opening: Opening): Promise<FoundPictures> {
  const all = folderFiles(opening)!;
  const pictures = all.filter(({ below }) => /\.ppm$/i.test(below));
  const beside = all.filter(({ below }) => /(^|\/)GT-[^/]*\.csv$/i.test(below));
  const other = all.find((one) => !pictures.includes(one) && !beside.includes(one));
  if (other !== undefined) {
    throw new DataError(
      'neither a PPM file nor a list of them (GT-….csv)',
      { file: other.file.path },
      'save the image as PPM, or move the file away: an image left out would be missed',
    );
  }
  const listed = await listedImages(opening.files, beside, pictures);
  const labels = labelsOf(pictures, listed, opening);
  return labels === undefined ? { pictures, beside } : { pictures, beside, labels };
}

/** Classes by sub-folder, 00000, 00001, … or names; those of loose images by the column ClassId of their list. */
function labelsOf(
  pictures: readonly FolderFile[],
  listed: ReadonlyMap<string, ListedImage>,
  opening: Opening,
): ImageLabels | undefined {
  const classIds = pictures.map(({ below }) => listed.get(below)?.classId);
  const areLoose = pictures.every(({ below }) => !below.includes('/'));
  if (areLoose && classIds.every((one) => one !== undefined)) {
    return numberedLabels(classIds, pictures, opening);
  }
  const folders = areLoose ? undefined : classFolders(pictures, opening);
  if (folders === undefined) {
    if (opening.images?.labels !== 'needed') return undefined;
    throw new DataError(
      'the images have no classes',
      { file: opening.address.path },
      'put a list GT-….csv with the column ClassId beside them, or each into the sub-folder of its class',
    );
  }
  if (!folders.every((name) => /^\d{5}$/.test(name))) return namedLabels(folders);
  const numbers = folders.map(Number);
  const odd = pictures.find((_, k) => (classIds[k] ?? numbers[k]) !== numbers[k]);
  if (odd === undefined) return numberedLabels(numbers, pictures, opening);
  throw new DataError(
    'the list has another class for an image than its folder',
    listed.get(odd.below)!.place,
    'put the image where it belongs, or correct the list',
  );
}

function numberedLabels(
  numbers: readonly number[],
  pictures: readonly FolderFile[],
  opening: Opening,
): ImageLabels {
  const texts = labelTexts(opening);
  const odd = numbers.findIndex((number) => number >= texts.length);
  if (odd < 0) return { numbers, texts };
  throw unknownLabel(pictures[odd].file.path, odd + 1, texts.length);
}
