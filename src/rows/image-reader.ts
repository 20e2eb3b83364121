import { defined } from '../defined.ts';
import type { WantedForm } from '../images/fit-picture.ts';
import { CLASS_COLUMN, pixelNames, refuseLargeImages, valuesOf } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import { surveyCells } from '../table/draft-cells.ts';
import { imageColumn } from './image-column.ts';
import { areNumbers } from './pixel-names.ts';
import type { Opening, Source, SourceRange, SourceReader, SourceReading } from './source.ts';

/** Images and their classes; ranges count images. */
export interface ImageSource extends Source {
  /** What the images look like when they are read. */
  readonly form: WantedForm;
  readonly count: number;
  /** What the column of the class says, by the class's number. */
  readonly classTexts: readonly string[];
}

/** Images in order: their values one after another, and the numbers of their classes. */
export interface ImageBatch {
  readonly count: number;
  readonly values: Uint8Array;
  readonly classes: ArrayLike<number>;
}

/** The part of a reader that differs between kinds of images. */
export interface ImageKind<S extends ImageSource>
  extends Pick<SourceReader<S>, 'kind' | 'matches' | 'version' | 'open' | 'cut' | 'load'> {
  /** Reads the images of a range in batches of at most `most`. */
  batches(
    reading: SourceReading<S>,
    range: SourceRange,
    most: number,
    take: (batch: ImageBatch) => void,
  ): Promise<void>;
}

/** Cells of a block, about: so a block of large images has fewer rows. */
const BLOCK_CELLS = 2 ** 18;
const MOST_ROWS = 256;

/** A reader of images as a table: the class and a column for each value. */
export function imageReader<S extends ImageSource>(images: ImageKind<S>): SourceReader<S> {
  const { batches, ...kind } = images;
  const walk = async (
    reading: SourceReading<S>,
    take: (batch: ImageBatch, firstRow: number) => void,
  ): Promise<SourceRange> => {
    const { source, progress, range = { from: 0, to: source.count } } = reading;
    const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(BLOCK_CELLS / valuesOf(source.form))));
    let done = 0;
    await batches(reading, range, most, (batch) => {
      take(batch, range.from + done + 1);
      done += batch.count;
      progress((source.length * done) / source.count, done);
    });
    return range;
  };
  return {
    ...kind,
    tells: true,
    async scan(reading, { wanted, texts, missing, decimal, misfits }) {
      const { name: file, form, classTexts } = reading.source;
      const size = valuesOf(form);
      const counts = wanted.map(() => new Uint32Array(Math.max(256, classTexts.length)));
      const places = wanted.map((name) => placeOf(name, reading.source));
      const from = reading.range?.from ?? 0;
      const edges = await walk(reading, ({ count, values, classes }) => {
        places.forEach((place, k) => {
          const one = counts[k];
          for (let r = 0; r < count; r++) one[place < 0 ? classes[r] : values[r * size + place]]++;
        });
      });
      const start = { file, at: from };
      const options = { texts: new Set(texts), missing, ...(decimal && { decimal }) };
      const surveyed = wanted.map((column, k) => {
        const survey = surveyCells({ file, column }, { ...options, ...(misfits && { misfits }) });
        counts[k].forEach((count, value) => {
          if (count > 0) survey.meet(places[k] < 0 ? classTexts[value] : value, 1, count);
        });
        return [column, survey.result(start)] as const;
      });
      const segments = [{ ...start, rows: edges.to - edges.from }];
      return { draft: { segments, columns: new Map(surveyed) }, edges };
    },
    read(reading, wanted, sink) {
      const { name: file, form, classTexts } = reading.source;
      const size = valuesOf(form);
      const columns = wanted.map((one) => {
        const place = placeOf(one.name, reading.source);
        const read = imageColumn(one, place < 0 ? classTexts : undefined, file);
        return { place, read };
      });
      return walk(reading, ({ count, values, classes }, firstRow) => {
        const cells = columns.map(({ place, read }) =>
          place < 0
            ? read(classes, 0, 1, count, firstRow)
            : read(values, place, size, count, firstRow),
        );
        sink({ rows: count, columns: cells }, firstRow);
      });
    },
  };
}

/** The place of a column in an image; −1 for the class. */
function placeOf(name: string, { header }: ImageSource): number {
  const at = header.indexOf(name);
  if (at < 0) throw new RangeError(`images have no column named ${name}`);
  return header[0] === CLASS_COLUMN ? at - 1 : at;
}

/** The columns of images of this form; without a class where no labels are there. */
export function imageHeader(form: WantedForm, labelled: boolean): string[] {
  return [...(labelled ? [CLASS_COLUMN] : []), ...pixelNames(form)];
}

/** The form that images are read in: that of the study or of its draft, else their own. */
export function imageForm({ images, resizeTo, address }: Opening, own: ImageShape): WantedForm {
  const { height, width, channels } = images ?? { ...own, ...resizeTo };
  if (images === undefined) refuseLargeImages({ height, width, channels }, address.path);
  const resize = resizeTo === undefined ? images?.resize : 'bilinear';
  return { height, width, channels, ...defined({ resize }) };
}

/** What labels from 0 on say: the number itself where the classes are numbers, else the class in its place. */
export function labelTexts({ images }: Opening): readonly string[] {
  if (images !== undefined && !areNumbers(images.classes)) return images.classes;
  return Array.from({ length: 256 }, (_, k) => String(k));
}
