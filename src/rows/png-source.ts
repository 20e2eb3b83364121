import { fitPicture } from '../images/fit-picture.ts';
import type { Picture } from '../images/png.ts';
import { digestJson } from '../study/digest.ts';
import { valuesOf } from '../study/image-study.ts';
import { type FileHandle, type Files, fileBytes, withReader } from './files.ts';
import { type ImageSource, imageForm, imageHeader, imageReader } from './image-reader.ts';
import { type PngFile, pngFiles } from './png-files.ts';
import { evenRanges, type Opening, type SourceReader, type SourceVersion } from './source.ts';

/** PNG files in a folder, with a sub-folder for each class. */
interface PngSource extends ImageSource {
  readonly kind: 'png';
  readonly pictures: readonly FileHandle[];
  /** The number of the class of each picture. */
  readonly classes: readonly number[];
}

/** A folder of PNG files, one sub-folder a class. Their decoder is loaded only when needed. */
export const pngSource: SourceReader<PngSource> = imageReader<PngSource>({
  kind: 'png',
  matches: (opening) => opening.list() !== undefined,
  version: (opening) => folderVersion(opening, pngFiles(opening)),
  async open(opening) {
    const { address, files, images } = opening;
    const found = pngFiles(opening);
    const version = await folderVersion(opening, found);
    const form = imageForm(opening, images ?? (await pictureIn(files, found[0].file)));
    const texts = [...new Set(found.map(({ label = '' }) => label))];
    const numbers = new Map(texts.map((text, k) => [text, k]));
    return {
      kind: 'png',
      name: address.path,
      header: imageHeader(form, found[0].label !== undefined),
      length: version.bytes,
      version,
      form,
      count: found.length,
      classTexts: texts,
      pictures: found.map(({ file }) => file),
      classes: found.map(({ label = '' }) => numbers.get(label)!),
    };
  },
  cut: ({ count }, pieces) => evenRanges(count, pieces),
  load: () => import('../images/png.ts'),
  async batches({ files, source }, { from, to }, most, take) {
    const { pictures, classes, form } = source;
    const size = valuesOf(form);
    for (let at = from; at < to; at += most) {
      const count = Math.min(most, to - at);
      const values = new Uint8Array(count * size);
      for (const [k, file] of pictures.slice(at, at + count).entries()) {
        values.set(fitPicture(await pictureIn(files, file), form, file.path), k * size);
      }
      take({ count, values, classes: classes.slice(at, at + count) });
    }
  },
});

async function pictureIn(files: Files, file: FileHandle): Promise<Picture> {
  const { decodePng, MOST_PNG_BYTES } = await import('../images/png.ts');
  return decodePng(await fileBytes(files, file, MOST_PNG_BYTES), file.path);
}

/** The state of a folder: how many files and bytes it has, and a digest of their names, lengths and times. */
async function folderVersion(
  { address, files }: Opening,
  pictures: readonly PngFile[],
): Promise<SourceVersion & { readonly bytes: number }> {
  const states: (readonly [string, number, number])[] = [];
  let { path } = address;
  for (const { file, below } of pictures) {
    await withReader(files, file, ({ size, modified = 0, fullPath }) => {
      states.push([below, size, modified]);
      if (fullPath !== undefined) path = fullPath.slice(0, -below.length - 1);
    });
  }
  const bytes = states.reduce((sum, [, size]) => sum + size, 0);
  return { path, bytes, files: states.length, state: digestJson(states) };
}
