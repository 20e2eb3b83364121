import { DataError } from '../data-error.ts';
import { baseName } from './files.ts';
import type { FolderFile } from './folder-files.ts';
import type { Opening } from './source.ts';

/** The classes of images: the number of each, and what the numbers stand for. */
export interface ImageLabels {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

/** The sub-folder of each image; undefined where all lie loose and no classes are needed. Refuses loose images among others. */
export function classFolders(
  pictures: readonly FolderFile[],
  { address, images }: Opening,
): string[] | undefined {
  const loose = pictures.filter(({ below }) => !below.includes('/'));
  if (loose.length === pictures.length && images?.labels !== 'needed') return undefined;
  if (loose.length > 0) {
    throw new DataError(
      `${loose.length === 1 ? 'an image is' : `${loose.length} images are`} in no sub-folder, such as ${baseName(loose[0].below)}`,
      { file: address.path },
      'put each image into the sub-folder of its class',
    );
  }
  return pictures.map(({ below }) => below.slice(0, below.indexOf('/')));
}

/** Classes by their names, numbered as they come. */
export function namedLabels(names: readonly string[]): ImageLabels {
  const texts = [...new Set(names)];
  const places = new Map(texts.map((text, k) => [text, k]));
  return { texts, numbers: names.map((name) => places.get(name)!) };
}
