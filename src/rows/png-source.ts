import { fileBytes } from './files.ts';
import { imageReader } from './image-reader.ts';
import { type PictureFolder, pictureFolder } from './picture-folder.ts';
import { pngFiles } from './png-files.ts';
import type { SourceReader } from './source.ts';

/** A folder of PNG files, one sub-folder a class. Their decoder is loaded only when needed. */
export const pngSource: SourceReader<PictureFolder> = imageReader(
  pictureFolder({
    kind: 'png',
    matches: (opening) => opening.list() !== undefined,
    find: pngFiles,
    async decode(files, file) {
      const { decodePng, MOST_PNG_BYTES } = await import('../images/png.ts');
      return decodePng(await fileBytes(files, file, MOST_PNG_BYTES), file.path);
    },
    load: () => import('../images/png.ts'),
  }),
);
