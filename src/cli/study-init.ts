import { existsSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { isPrivate } from '../privacy/is-private.ts';
import type { DraftedStudy, Widened } from '../rows/draft-study.ts';
import { wrapped } from '../site/wrapped.ts';
import type { Grid } from '../statistic/linear-layout.ts';
import { nearNames } from '../study/near-names.ts';
import { type Quorum, studyDigest, type TableStudy } from '../study/study.ts';
import { parseMoment } from '../text/duration.ts';
import { listed } from '../text/number-text.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { withDatabase } from './database-flags.ts';
import { featuresOf, withFeatureFlags } from './feature-flags.ts';
import {
  choice,
  decimalFlag,
  refuseGrid,
  refuseUnwritable,
  repeatedFlag,
  watcher,
  wholeNumber,
} from './flags.ts';
import { type Io, pathIn, pathsIn } from './io.ts';
import { fusionOf, withFamily } from './method-flags.ts';
import { privacyOfFlags, withPrivacy } from './privacy-flags.ts';
import { studyText } from './study-file-text.ts';
import type { ImageFlags } from './study-init-images.ts';

interface InitFlags extends ImageFlags {
  readonly grid?: string;
  readonly quorum?: string;
  readonly deadline?: string;
  readonly exactRanges?: boolean;
  readonly decimal?: '.' | ',';
  readonly encoding?: string;
  readonly missingMarker: readonly string[];
}

/** `suffice study init`: a study drafted from the analyst's own files. */
export function addStudyInit(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const asPaths = pathsIn(io);
  const init = study
    .command('init')
    .description('draft a study from a formula and your own file; nothing is sent')
    .argument('[formula]', 'R formula, such as "y ~ x + factor(group)"')
    .argument('[file...]', 'CSV or Parquet files with rows like those of the sites', asPaths)
    .option(
      '--images <path>',
      'in place of formula and files: images like those of the sites, such as a folder with a sub-folder for each class, IDX files or a table of pixels (repeatable)',
      (path: string, before: readonly string[]) => [...before, asPath(path)],
      [],
    )
    .option('--resize <height>x<width>', 'bring images of any size to this one, such as 32x32')
    .option('--out <file>', 'where to write the study', asPath, asPath('study.json'))
    .option('--force', 'overwrite the file')
    .option('--name <text>', 'name of the study')
    .option('--weights <column>', 'weights of the rows')
    .addOption(choice('--arithmetic <kind>', 'how the statistic is held', ['exact', 'compact']))
    .addOption(
      new Option('--grid <bits>', 'bits of the exact grid').choices(['22', '44', '66', '88']),
    )
    .option('--quorum <n>', 'sites that must have contributed')
    .option('--deadline <time>', 'when collecting ends: 2d, 2030-12-01, 2030-12-01T12:00:00Z')
    .option('--site <name>', 'a site, for a formula with .site (repeatable)', repeatedFlag, [])
    .addOption(
      new Option(
        '--disclosure <profile>',
        'rules a site’s statistic must pass before it leaves',
      ).choices(['default', 'datashield', 'agency', 'none']),
    )
    .option('--exact-ranges', 'leave ranges as the files have them')
    .addOption(decimalFlag())
    .option('--encoding <name>', 'encoding of the text files, such as latin1')
    .option(
      '--missing-marker <text>',
      'one more text that means missing (repeatable)',
      repeatedFlag,
      [],
    )
    .option('--json', 'print the study and what was widened as JSON')
    .option('--quiet', 'no progress bar');
  withDatabase(withPrivacy(withFeatureFlags(withFamily(init))), io).action(
    async (formula, paths, flags) => {
      if (flags.images.length === 0 && flags.resize !== undefined) {
        throw new UsageError('--resize belongs to --images', 'leave it out, or give --images');
      }
      if (flags.images.length === 0) return runInit(...given(formula, paths), flags, io);
      if (formula !== undefined) {
        throw new UsageError('--images stands in place of a formula and files', 'leave one out');
      }
      refuseOverwrite(flags);
      const { initImages } = await import('./study-init-images.ts');
      return initImages(flags, quorumOf(flags), io);
    },
  );
}

/** The formula and the files, which only a study of images leaves out. */
function given(formula: string | undefined, paths: readonly string[]): [string, readonly string[]] {
  if (formula !== undefined && paths.length > 0) return [formula, paths];
  throw new UsageError(
    `missing required argument '${formula === undefined ? 'formula' : 'file'}'`,
    'suffice study init --help lists its options',
  );
}

async function runInit(
  formula: string,
  paths: readonly string[],
  flags: InitFlags,
  io: Io,
): Promise<void> {
  refuseGrid(flags);
  refuseOverwrite(flags);
  const { draftStudy, hasSiteColumn } = await import('../rows/draft-study.ts');
  if (hasSiteColumn(formula) && flags.site.length < 2) {
    throw new UsageError(
      'the formula has .site, so the study needs the names of the sites',
      'name each with --site, as they will be invited',
    );
  }
  const quorum = quorumOf(flags);
  const privacy = privacyOfFlags(flags);
  if (flags.person !== undefined) await refuseNobody(flags.person, paths, flags.encoding);
  const { createPool } = await import('../node/compute/pool.ts');
  const pool = createPool();
  const drafted = await draftStudy(
    {
      formula,
      files: paths.map((path) => ({ path })),
      fusion: fusionOf(flags),
      ...featuresOf(flags),
      arithmetic: flags.arithmetic,
      missingMarkers: flags.missingMarker,
      sites: flags.site,
      exactRanges: flags.exactRanges === true,
      ...defined({ quorum, privacy }),
      ...(flags.disclosure === undefined ? {} : { disclosure: { profile: flags.disclosure } }),
      ...defined({ name: flags.name, weights: flags.weights }),
      ...defined({ encoding: flags.encoding, decimal: flags.decimal }),
      ...(flags.grid === undefined ? {} : { grid: Number(flags.grid) as Grid }),
    },
    pool,
    watcher(flags.quiet === true, io),
  ).finally(() => pool.close());
  const { parseStudy } = await import('../fusion/study-schema.ts');
  const { agreement } = await import('../federate.ts');
  const agreed = agreement(parseStudy(drafted.study));
  const notes = [...drafted.notes, ...(agreed.method.text.notes ?? [])];
  const { HIDDEN_REMEDY, hiddenCharacters } = await import('../study/hidden-characters.ts');
  const [hidden] = hiddenCharacters({ ...drafted.study, formula });
  if (hidden !== undefined) throw new DataError(hidden.problem, {}, HIDDEN_REMEDY);
  writeFileSync(flags.out, studyText(drafted.study), { flag: flags.force === true ? 'w' : 'wx' });
  io.stdout.write(
    flags.json === true
      ? draftJson(drafted, flags.out, notes)
      : draftText(drafted, flags.out, notes),
  );
}

function refuseOverwrite({ out, force }: InitFlags): void {
  refuseUnwritable('--out', out);
  if (force === true || !existsSync(out)) return;
  throw new UsageError(`${out} is there already`, 'name another with --out, or add --force');
}

/** Throws when a file lacks the column of persons. */
async function refuseNobody(
  person: string,
  paths: readonly string[],
  encoding: string | undefined,
): Promise<void> {
  const { openSource } = await import('../rows/sources.ts');
  const { nodeHost } = await import('../node/compute/host.ts');
  for (const path of paths) {
    const { header } = await openSource(nodeHost, { path }, [], encoding);
    if (header.includes(person)) continue;
    const near = nearNames(person, header);
    throw new UsageError(
      `--person: ${path} has no column ${person}`,
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it has ${listed(header)}`,
    );
  }
}

function quorumOf({ quorum, deadline }: InitFlags): Quorum | undefined {
  if (quorum === undefined && deadline === undefined) return undefined;
  return {
    ...(quorum === undefined ? {} : { sites: wholeNumber('--quorum', quorum) }),
    ...(deadline === undefined ? {} : { deadline: parseMoment('--deadline', deadline) }),
  };
}

function draftJson(
  { study, widened }: DraftedStudy,
  out: string,
  notes: readonly string[],
): string {
  const answer = {
    schema: 'suffice/study-draft@1',
    out,
    digest: studyDigest(study),
    study,
    widened,
    ...(notes.length === 0 ? {} : { notes }),
  };
  return `${visibleJson(JSON.stringify(answer, null, 2))}\n`;
}

const PUBLIC_RANGES = [
  'ranges must be public, and these come from your file: put in what is known',
  'without it. A public guess of a standard deviation ("sd") makes the noise smaller.',
  '',
];

function draftText(
  { study, widened }: DraftedStudy,
  out: string,
  notes: readonly string[],
): string {
  return [
    `${out} holds a draft of the study`,
    ...(widened.length === 0
      ? []
      : ['', 'ranges, wider than in your file because other sites hold other extremes:']),
    ...widenedLines(widened),
    ...levelLines(study),
    '',
    ...(isPrivate(study) ? PUBLIC_RANGES : []),
    ...notes.flatMap((note) => [...wrapped('', note), '']),
    'check units, ranges and levels: a site is refused what lies outside them. Then',
    `  suffice study check ${out}`,
    `  suffice study create ${out} --coordinator URL --site NAME --site NAME`,
    '',
  ].join('\n');
}

function widenedLines(widened: readonly Widened[]): string[] {
  const width = Math.max(0, ...widened.map(({ column }) => column.length));
  return widened.map(
    ({ column, from, to }) =>
      `  ${column.padEnd(width)}  ${to[0]} to ${to[1]}  (found ${from[0]} to ${from[1]})`,
  );
}

const MOST_LEVELS = 8;

function levelLines({ codebook }: TableStudy): string[] {
  const lines = Object.entries(codebook).flatMap(([name, column]) => {
    if (column.type !== 'category') return [];
    const shown = column.levels.slice(0, MOST_LEVELS).join(', ');
    const rest = column.levels.length - MOST_LEVELS;
    return [`  ${name}: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`];
  });
  return lines.length === 0 ? [] : ['', 'levels, as found (the first is the baseline):', ...lines];
}
