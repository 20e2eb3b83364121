import { fileBytes } from './files.ts';
import { folderFiles } from './folder-files.ts';
import { imageReader } from './image-reader.ts';
import { type PictureFolder, pictureFolder } from './picture-folder.ts';
import { ppmFiles } from './ppm-files.ts';
import type { SourceReader } from './source.ts';

/** A folder of PPM files, one sub-folder a class, as GTSRB has them; or loose, with their classes in GT-….csv. */
export const ppmSource: SourceReader<PictureFolder> = imageReader(
  pictureFolder({
    kind: 'ppm',
    matches(opening) {
      const files = folderFiles(opening) ?? [];
      const has = (end: RegExp) => files.some(({ below }) => end.test(below));
      return has(/\.ppm$/i) && !has(/\.png$/i);
    },
    find: ppmFiles,
    async decode(files, file) {
      const { decodePpm, MOST_PPM_BYTES } = await import('../images/ppm.ts');
      return decodePpm(await fileBytes(files, file, MOST_PPM_BYTES), file.path);
    },
    load: () => import('../images/ppm.ts'),
  }),
);
