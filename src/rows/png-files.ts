import { DataError } from '../data-error.ts';
import { baseName, type FileHandle } from './files.ts';
import type { Opening } from './source.ts';

/** A PNG file, its path below the folder, and its class: the sub-folder it is in. */
export interface PngFile {
  readonly file: FileHandle;
  readonly below: string;
  /** Absent where no file of the folder is in a sub-folder. */
  readonly label?: string;
}

/** Files that systems put into folders by themselves. */
const OF_THE_SYSTEM = /(^|\/)(\..*|__MACOSX\/.*|Thumbs\.db|desktop\.ini)$/i;

/** The PNG files of a folder, by class; refuses other files, since an image that is left out unseen would be missed. */
export function pngFiles({ address, list, images }: Opening): PngFile[] {
  const { path: folder } = address;
  const files = list()!.map((file) => ({ file, below: pathBelow(folder, file.path) }));
  const kept = files.filter(({ below }) => !OF_THE_SYSTEM.test(below));
  const other = kept.find(({ below }) => !/\.png$/i.test(below));
  if (other !== undefined) {
    throw new DataError(
      'not a PNG file',
      { file: other.file.path },
      'a folder of images holds PNG files only, one sub-folder a class: save the image as PNG, or move the file away',
    );
  }
  if (kept.length === 0) {
    throw new DataError(
      'no images in the folder',
      { file: folder },
      'give a folder with a sub-folder for each class, and PNG files in them; or IDX files',
    );
  }
  const loose = kept.filter(({ below }) => !below.includes('/'));
  const unlabelled = loose.length === kept.length && images?.labels !== 'needed';
  if (unlabelled) return kept;
  if (loose.length > 0) {
    throw new DataError(
      `${loose.length === 1 ? 'an image is' : `${loose.length} images are`} in no sub-folder, such as ${baseName(loose[0].below)}`,
      { file: folder },
      'put each image into the sub-folder of its class',
    );
  }
  return kept.map((one) => ({ ...one, label: one.below.slice(0, one.below.indexOf('/')) }));
}

/** A path from the folder on, with the mark / between its parts. */
function pathBelow(folder: string, path: string): string {
  const bare = folder.replace(/[/\\]+$/, '');
  const below = path.startsWith(bare) ? path.slice(bare.length) : path;
  return below.replaceAll('\\', '/').replace(/^\/+/, '');
}
