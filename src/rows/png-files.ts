import { DataError } from '../data-error.ts';
import { classFolders, namedLabels } from './folder-classes.ts';
import { type FolderFile, folderFiles } from './folder-files.ts';
import type { FoundPictures } from './picture-folder.ts';
import type { Opening } from './source.ts';

/** The PNG files of a folder, by class; refuses other files, since an image that is left out unseen would be missed. */
export function pngFiles(opening: Opening): FoundPictures {
  const { path: folder } = opening.address;
  const pictures = folderFiles(opening)!;
  const other = pictures.find(({ below }) => !/\.png$/i.test(below));
  if (other !== undefined) {
    throw new DataError(
      'not a PNG file',
      { file: other.file.path },
      'a folder of images holds PNG files only, one sub-folder a class: save the image as PNG, or move the file away',
    );
  }
  if (pictures.length === 0) {
    throw new DataError(
      'no images in the folder',
      { file: folder },
      'give a folder with a sub-folder for each class, and PNG files in them; or IDX files',
    );
  }
  if (opening.images === undefined) refuseParts(pictures, folder);
  const names = classFolders(pictures, opening);
  return names === undefined ? { pictures } : { pictures, labels: namedLabels(names) };
}

const PARTS = ['train', 'valid', 'val', 'validation', 'test'];

/** Refuses, for a draft, a folder whose sub-folders are parts of a data set: taken as classes, they would mislead. */
function refuseParts(pictures: readonly FolderFile[], folder: string): void {
  const tops = [...new Set(pictures.map(({ below }) => below.split('/', 1)[0]))];
  const isParts = tops.length > 1 && tops.every((top) => PARTS.includes(top.toLowerCase()));
  if (!isParts || pictures.some(({ below }) => below.split('/').length < 3)) return;
  throw new DataError(
    `the sub-folders ${tops.join(', ')} are parts of a data set, not classes`,
    { file: folder },
    `give one of them, such as ${folder.replace(/[/\\]+$/, '')}/${tops.at(-1)}`,
  );
}
