import { DataError } from '../data-error.ts';
import type { WantedForm } from '../images/fit-picture.ts';
import { CLASS_COLUMN, type ImageData } from '../study/image-study.ts';
import type { ImageShape } from '../study/study.ts';
import { mergeDrafts } from '../table/draft.ts';
import { levelsOf } from '../table/levels.ts';
import type { DraftJob, DraftResult } from './draft-job.ts';
import { classColumnIn, pixelShape } from './pixel-names.ts';
import type { Pool } from './pool.ts';
import type { Address, ImageSize, Source } from './source.ts';
import { openForDraft } from './sources.ts';
import type { Watch } from './watch.ts';

/** What files of images look like: the terms of a study of such images, and how many there are of each class. */
export interface DraftedImages {
  readonly data: ImageData;
  /** In the order of the classes. */
  readonly counts: readonly number[];
}

/** Whether a source is images, or a table of pixels and their classes. */
export function holdsImages(source: Source): boolean {
  return 'form' in source || (pixelShape(source.header) !== undefined && hasClasses(source));
}

function hasClasses({ header }: Source): boolean {
  return classColumnIn(header) !== undefined;
}

/** Drafts the terms of a study from images: their form, or the size that they are brought to, and the classes found. */
export async function draftImages(
  files: readonly Address[],
  pool: Pool,
  watch: Watch,
  resizeTo?: ImageSize,
): Promise<DraftedImages> {
  const sources = await Promise.all(files.map((file) => openForDraft(pool.host, file, resizeTo)));
  const forms = sources.map((source) => formIn(source, resizeTo));
  const [{ height, width, channels }] = forms;
  const other = forms.findIndex((form) => form.height !== height || form.width !== width);
  if (other > 0) {
    throw new DataError(
      `images of ${forms[other].height} × ${forms[other].width} pixels, and of ${height} × ${width} in another file`,
      { file: sources[other].name },
      'give images of one size, or draft a study that resizes them ("resize": "bilinear")',
      { name: 'resize', value: '32x32' },
    );
  }
  const jobs = sources.map((source): DraftJob => {
    const column = classColumnIn(source.header);
    if (column === undefined) throw noClasses(source);
    const wording = { columns: new Map([[CLASS_COLUMN, column]]) };
    return {
      ...{ kind: 'draft', source: { ...source, wording }, missing: [] },
      ...{ wanted: [CLASS_COLUMN], texts: [CLASS_COLUMN] },
    };
  });
  const bar = watch(
    'looking at the images',
    sources.reduce((sum, { length }) => sum + length, 0),
  );
  const results = await pool.run(jobs, joinDrafts, bar.update).finally(bar.done);
  const texts = joinDrafts(results).draft.columns.get(CLASS_COLUMN)?.texts ?? new Map();
  const classes = levelsOf([...texts.keys()]);
  if (classes.length < 2) {
    throw new DataError(
      classes.length === 0 ? 'no classes were found' : `only one class was found: ${classes[0]}`,
      { file: sources[0].name },
      'give images of two classes or more',
    );
  }
  const resizing = resizeTo === undefined ? {} : ({ resize: 'bilinear' } as const);
  return {
    data: { kind: 'images', height, width, channels, classes, ...resizing },
    counts: classes.map((name) => texts.get(name) ?? 0),
  };
}

function joinDrafts(results: readonly DraftResult[]): DraftResult {
  return { draft: results.map(({ draft }) => draft).reduce(mergeDrafts) };
}

function noClasses({ name }: Source): DataError {
  return new DataError(
    'the images have no classes',
    { file: name },
    'put a file of labels beside them, sort the PNG files into a sub-folder for each class, or name a column "class"',
  );
}

/** The form of the images of a source: its own, or as the names of a table of pixels tell. */
function formIn(source: Source, resizeTo: ImageSize | undefined): ImageShape {
  if ('form' in source) return source.form as WantedForm;
  const shape = pixelShape(source.header);
  if (shape !== undefined && resizeTo === undefined) return shape;
  if (shape !== undefined) {
    throw new DataError(
      'a table of pixels is not resized',
      { file: source.name },
      'leave it at its size, or give the images as files',
      { name: 'resize', off: true },
    );
  }
  throw new DataError(
    'neither images nor a table of pixels',
    { file: source.name },
    'give files of images (docs/images.md has their kinds), or a table with the columns label, pixel0, pixel1, …',
  );
}
