import { writeFileSync } from 'node:fs';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { agreement } from '../federate.ts';
import { parseStudy } from '../fusion/study-schema.ts';
import { createPool } from '../node/compute/pool.ts';
import { type DraftedImages, draftImages } from '../rows/draft-images.ts';
import type { ImageSize } from '../rows/source.ts';
import { wrapped } from '../site/wrapped.ts';
import { HIDDEN_REMEDY, hiddenCharacters } from '../study/hidden-characters.ts';
import { type ImageStudy, shapeText } from '../study/image-study.ts';
import { type Quorum, studyDigest } from '../study/study.ts';
import { grouped } from '../text/number-text.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type FeatureFlags, featuresOf } from './feature-flags.ts';
import { watcher } from './flags.ts';
import type { Io } from './io.ts';
import { type FamilyFlags, fusionOf } from './method-flags.ts';
import { type PrivacyFlags, privacyOfFlags } from './privacy-flags.ts';
import { studyText } from './study-file-text.ts';

/** The flags of a drafted study that make sense for images, and those that do not. */
export interface ImageFlags extends FamilyFlags, PrivacyFlags, FeatureFlags {
  readonly images: readonly string[];
  readonly resize?: string;
  readonly disclosure?: NonNullable<ImageStudy['disclosure']>['profile'];
  readonly out: string;
  readonly force?: boolean;
  readonly name?: string;
  readonly weights?: string;
  readonly arithmetic: 'exact' | 'compact';
  readonly site: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice study init --images`: a study of images, drafted from some of them. */
export async function initImages(
  flags: ImageFlags,
  quorum: Quorum | undefined,
  io: Io,
): Promise<void> {
  const { name, weights, arithmetic, disclosure, out, ridge, family, lasso } = flags;
  if (weights !== undefined || flags.site.length > 0) {
    throw new UsageError('images have no weights and no .site', 'leave out --weights and --site');
  }
  const pool = createPool();
  const drafted = await draftImages(
    flags.images.map((path) => ({ path })),
    pool,
    watcher(flags.quiet === true, io),
    sizeOf(flags),
  ).finally(() => pool.close());
  const asked = [ridge, family, lasso, flags.fusion, flags.network].some(
    (flag) => flag !== undefined,
  );
  const study: ImageStudy = {
    schema: 'suffice/study@1',
    ...defined({ name }),
    data: drafted.data,
    ...featuresOf(flags),
    // Neighbouring pixels say nearly the same, so least squares would not do.
    fusion: asked ? fusionOf(flags) : { kind: 'ridge', ridge: 'gcv' },
    arithmetic,
    ...defined({ quorum, privacy: privacyOfFlags(flags) }),
    ...(disclosure === undefined ? {} : { disclosure: { profile: disclosure } }),
    evaluation: { bins: 10 },
  };
  const notes = agreement(parseStudy(study)).method.text.notes ?? [];
  const [hidden] = hiddenCharacters(study);
  if (hidden !== undefined) throw new DataError(hidden.problem, {}, HIDDEN_REMEDY);
  writeFileSync(out, studyText(study), { flag: flags.force === true ? 'w' : 'wx' });
  const digest = studyDigest(study);
  const json = { schema: 'suffice/study-draft@1', out, digest, study, widened: [], notes };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(json, null, 2))}\n`
      : draftText(drafted, out, notes),
  );
}

/** The size that images are brought to. */
function sizeOf({ resize }: ImageFlags): ImageSize | undefined {
  if (resize === undefined) return undefined;
  const found = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(resize);
  if (found !== null) return { height: Number(found[1]), width: Number(found[2]) };
  throw new UsageError(`--resize needs a height and a width in pixels: ${resize}`, 'try 32x32');
}

function draftText({ data, counts }: DraftedImages, out: string, notes: readonly string[]): string {
  const shown = data.classes.map((name, k) => `${visibleText(name)} ${grouped(counts[k])}`);
  return [
    `${out} holds a draft of the study`,
    '',
    `${shapeText(data)}, in the classes found here:`,
    ...wrapped('  ', shown.join(', ')),
    '',
    ...notes.flatMap((note) => [...wrapped('', note), '']),
    'add the classes that only other sites have: an image of another class is refused.',
    'sites may count the model’s predictions on images held out ("evaluation"). Then',
    `  suffice study check ${out}`,
    `  suffice study create ${out} --coordinator URL --site NAME --site NAME`,
    '',
  ].join('\n');
}
