import { fitPicture } from '../images/fit-picture.ts';
import type { Picture } from '../images/picture.ts';
import { valuesOf } from '../study/image-study.ts';
import type { FileHandle, Files } from './files.ts';
import type { ImageLabels } from './folder-classes.ts';
import { type FolderFile, folderVersion } from './folder-files.ts';
import { type ImageKind, type ImageSource, imageForm, imageHeader } from './image-reader.ts';
import { evenRanges, type Opening } from './source.ts';

/** A folder of images, a file each. */
export interface PictureFolder extends ImageSource {
  readonly pictures: readonly FileHandle[];
  /** The number of the class of each picture. */
  readonly classes: readonly number[];
}

/** The images that were found in a folder. */
export interface FoundPictures {
  readonly pictures: readonly FolderFile[];
  /** Files that belong to them, such as their labels. */
  readonly beside?: readonly FolderFile[];
  /** Absent where the images have no classes. */
  readonly labels?: ImageLabels;
}

/** How a kind of image files is found in a folder and decoded. */
interface PictureKind {
  readonly kind: string;
  matches(opening: Opening): boolean;
  find(opening: Opening): FoundPictures | Promise<FoundPictures>;
  decode(files: Files, file: FileHandle): Promise<Picture>;
  load(): Promise<unknown>;
}

/** The reader of a folder of images. */
export function pictureFolder({
  kind,
  matches,
  find,
  decode,
  load,
}: PictureKind): ImageKind<PictureFolder> {
  const versionOf = (opening: Opening, { pictures, beside = [] }: FoundPictures) =>
    folderVersion(opening, [...pictures, ...beside]);
  return {
    ...{ kind, matches, load },
    version: async (opening) => versionOf(opening, await find(opening)),
    async open(opening) {
      const { address, files, images } = opening;
      const found = await find(opening);
      const { pictures, labels } = found;
      const version = await versionOf(opening, found);
      const form = imageForm(opening, images ?? (await decode(files, pictures[0].file)));
      return {
        kind,
        name: address.path,
        header: imageHeader(form, labels !== undefined),
        length: version.bytes,
        version,
        form,
        count: pictures.length,
        classTexts: labels?.texts ?? [''],
        pictures: pictures.map(({ file }) => file),
        classes: labels?.numbers ?? pictures.map(() => 0),
      };
    },
    cut: ({ count }, pieces) => evenRanges(count, pieces),
    async batches({ files, source }, { from, to }, most, take) {
      const { pictures, classes, form } = source;
      const size = valuesOf(form);
      for (let at = from; at < to; at += most) {
        const count = Math.min(most, to - at);
        const values = new Uint8Array(count * size);
        for (const [k, file] of pictures.slice(at, at + count).entries()) {
          values.set(fitPicture(await decode(files, file), form, file.path), k * size);
        }
        take({ count, values, classes: classes.slice(at, at + count) });
      }
    },
  };
}
