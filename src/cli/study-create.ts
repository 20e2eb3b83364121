import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { requireSiteName } from '../coordinator/site-name.ts';
import { defined } from '../defined.ts';
import { agreement, codebookIn } from '../federate.ts';
import { createStudyFolder, type StudyFolder } from '../node/files/study-folder.ts';
import type { OpenEnrolment } from '../protocol/enrolment.ts';
import type { Link } from '../protocol/link.ts';
import type { CreateStudy, StudyCreated } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sentBytes } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import { type Study, studyDigest } from '../study/study.ts';
import { studyTitle } from '../study/study-title.ts';
import { publishedNotes } from '../table/level-notes.ts';
import { parseMoment } from '../text/duration.ts';
import { byteText } from '../text/number-text.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import { repeatedFlag, wholeNumber } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { coordinatorAddress, givenOperatorToken } from './operator-access.ts';
import { withFlags } from './option-text.ts';

interface CreateFlags extends ConnectionFlags {
  readonly coordinator: string;
  readonly site: readonly string[];
  readonly sitesFile?: string;
  readonly tokenFile?: string;
  readonly draft?: boolean;
  readonly expires?: string;
  readonly open?: boolean;
  readonly atMost?: string;
  readonly enrolUntil?: string;
  readonly parent?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** `suffice study create`: a study on a coordinator, and a link for everyone in it. */
export function addStudyCreate(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const create = study
    .command('create')
    .description('put a study on a coordinator; writes one link for you and one for each site')
    .argument('<study>', 'JSON file of the study', asPath)
    .requiredOption('--coordinator <url>', 'address of the coordinator')
    .option('--site <name>', 'a site to invite (repeatable)', repeatedFlag, [])
    .option('--sites-file <file>', 'sites to invite, one a line', asPath)
    .option(
      '--token-file <file>',
      'file with the operator’s token; or set SUFFICE_ADMIN_TOKEN',
      asPath,
    )
    .option(
      '--parent <invitation>',
      'for the study of a region: file with its invitation to the study above; see suffice study region',
    )
    .option('--draft', 'sites cannot contribute before suffice study open')
    .option('--expires <time>', 'when invitations stop working: 30d or an ISO 8601 time')
    .option('--open', 'one link for any number of devices; each enrols with a key of its own')
    .option('--at-most <n>', 'with --open: most devices that may enrol')
    .option('--enrol-until <time>', 'with --open: when enrolling ends: 30d or an ISO 8601 time')
    .option(
      '--out <folder>',
      'where to write the links; a new folder named after the study',
      asPath,
    )
    .option('--force', 'create a private study although noise would drown its answer')
    .option('--dry-run', 'show what would be created; send nothing')
    .option('--json', 'print JSON, with the links');
  withConnection(create).action((path, flags) => runCreate(path, flags, io));
}

/** Milliseconds to try again: somebody watches, and a wrong address is the likely cause. */
const RETRY_FOR = 5000;

async function runCreate(path: string, flags: CreateFlags, io: Io): Promise<void> {
  const { readStudy } = await import('../node/files/json-file.ts');
  const study = await readStudy(path);
  const sites = sitesOf(flags, agreement(study).aggregation.roster);
  for (const site of sites) requireSiteName(site, agreement(study));
  for (const { text } of publishedNotes(codebookIn(agreement(study)))) {
    io.stderr.write(visibleLines(`warning: ${text}.\n`));
  }
  await sayForecast(study, sites.length, flags, io);
  const coordinator = coordinatorAddress(flags.coordinator);
  const open = openEnrolment(flags);
  const request: CreateStudy = {
    study,
    sites,
    ...(flags.draft === true ? { draft: true } : {}),
    ...(flags.expires === undefined
      ? {}
      : { invitationsExpire: parseMoment('--expires', flags.expires) }),
    ...defined({ open }),
    ...(await parentIn(study, flags, io)),
  };
  const { linkText } = await import('../protocol/link.ts');
  const { studyId } = await import('../protocol/study-part.ts');
  const named = `${folderName(study) || studyId(studyDigest(study))}-study`;
  const folder = flags.out ?? pathIn(io)(named);
  if (flags.dryRun === true) {
    io.stdout.write(
      flags.json === true
        ? dryRunJson(request, coordinator, folder)
        : dryRunText(request, coordinator, folder),
    );
    return;
  }
  const token = givenOperatorToken(flags.tokenFile, io);
  const kept = createStudyFolder(folder, sites, open === undefined ? [] : [OPEN_LINK]);
  let created: StudyCreated;
  try {
    const { postStudy } = await import('../protocol/client.ts');
    created = await postStudy(coordinator, token, request, {
      ...clientOptions(flags, io),
      retryFor: RETRY_FOR,
    });
  } catch (failure) {
    kept.discard();
    throw failure;
  }
  const links = linksOf(created, coordinator, linkText);
  kept.keep(kept.adminLink, links.admin);
  for (const { site, link } of links.invitations) kept.keep(kept.invitationOf(site), link);
  if (links.open !== undefined) kept.keep(kept.fileOf(OPEN_LINK), links.open);
  io.stdout.write(
    flags.json === true
      ? createdJson(created, coordinator, links, kept)
      : createdText(created, coordinator, kept),
  );
}

/** The invitation of a region to the study above, where the study is one of a region. */
async function parentIn(
  { parents }: Study,
  { parent }: CreateFlags,
  io: Io,
): Promise<Pick<CreateStudy, 'parent'>> {
  if (parents === undefined && parent === undefined) return {};
  if (parent === undefined) {
    throw new UsageError(
      'the study is one of a region, and its invitation to the study above is missing',
      'give the file of the invitation with --parent',
    );
  }
  if (parents === undefined) {
    throw new UsageError(
      'the study names no study above it',
      'make the study of the region with suffice study region, or leave out --parent',
    );
  }
  const { readLink } = await import('../node/files/link-file.ts');
  const { linkText } = await import('../protocol/link.ts');
  return { parent: linkText(await readLink(parent, 'join', io)) };
}

/** Prints the forecast of a private study, before any budget is spent. */
async function sayForecast(
  study: Study,
  sites: number,
  { force }: Pick<CreateFlags, 'force'>,
  io: Io,
): Promise<void> {
  const { studyForecast } = await import('../site/forecast-text.ts');
  const agreed = agreement(study);
  const found = studyForecast(agreed, sites);
  if (found === undefined) return;
  for (const { text, option } of found.remarks) {
    io.stderr.write(`${withFlags(text, option)}\n`);
  }
  const { rounds = 0 } = agreed.method.noise?.terms ?? {};
  if (found.forecast?.verdict !== 'refuse' || rounds > 0 || force === true) return;
  throw new Refusal(
    'not-allowed',
    'noise would drown the answer of this study; nothing was created',
    'see suffice privacy plan for what would help, or create it all the same with --force',
  );
}

function sitesOf(
  { site, sitesFile, open }: CreateFlags,
  roster: Readonly<Record<string, string>> = {},
): string[] {
  const lines = sitesFile === undefined ? [] : readFileSync(sitesFile, 'utf8').split(/\r?\n/);
  const sites = [...site, ...lines].map((name) => name.trim()).filter((name) => name !== '');
  if (sites.length === 0) sites.push(...Object.keys(roster));
  if (sites.length === 0 && open !== true) {
    throw new UsageError(
      'no site is invited',
      'name each with --site, or list them in --sites-file; or --open, for devices that nobody knows by name',
    );
  }
  const twice = sites.find((name, k) => sites.indexOf(name) !== k);
  if (twice !== undefined) {
    throw new UsageError(`site ${twice} is named twice`, 'name every site once');
  }
  return sites;
}

/** The study's name as the name of a folder; empty if no letter fits. */
function folderName(study: Study): string {
  return (study.name ?? '')
    .trim()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '');
}

interface Links {
  readonly admin: string;
  readonly invitations: readonly { readonly site: string; readonly link: string }[];
  /** For all devices. */
  readonly open?: string;
}

const OPEN_LINK = 'open.link';

function openEnrolment({ open, atMost, enrolUntil }: CreateFlags): OpenEnrolment | undefined {
  if (open !== true) {
    if (atMost === undefined && enrolUntil === undefined) return undefined;
    throw new UsageError(
      '--at-most and --enrol-until need --open',
      'add --open, or leave them out',
    );
  }
  return {
    ...(atMost === undefined ? {} : { atMost: wholeNumber('--at-most', atMost) }),
    ...(enrolUntil === undefined ? {} : { ends: parseMoment('--enrol-until', enrolUntil) }),
  };
}

function linksOf(
  { id, digest, adminToken, invitations, openToken, coordinatorKey }: StudyCreated,
  coordinator: string,
  linkText: (link: Link) => string,
): Links {
  const link = (purpose: 'join' | 'study', token: string) =>
    linkText({ coordinator, purpose, study: id, digest, token, coordinatorKey });
  return {
    admin: link('study', adminToken),
    invitations: invitations.map(({ site, token }) => ({ site, link: link('join', token) })),
    ...(openToken === undefined ? {} : { open: link('join', openToken) }),
  };
}

function createdJson(
  { schema, id, digest, state, coordinatorKey }: StudyCreated,
  coordinator: string,
  { admin, invitations, open }: Links,
  folder: StudyFolder,
): string {
  const answer = {
    schema,
    id,
    digest,
    state,
    coordinator,
    coordinatorKey,
    admin: { link: admin, file: folder.adminLink },
    invitations: invitations.map(({ site, link }) => ({
      site,
      link,
      file: folder.invitationOf(site),
    })),
    ...(open === undefined ? {} : { open: { link: open, file: folder.fileOf(OPEN_LINK) } }),
  };
  return `${visibleJson(JSON.stringify(answer, null, 2))}\n`;
}

function createdText(created: StudyCreated, coordinator: string, folder: StudyFolder): string {
  const sites = created.invitations.map(({ site }) => site);
  const isOpen = created.openToken !== undefined;
  const files = [
    ...sites.map((site) => folder.invitationOf(site)),
    ...(isOpen ? [folder.fileOf(OPEN_LINK)] : []),
  ];
  const width = Math.max(folder.adminLink.length, ...files.map((file) => file.length));
  const isDraft = created.state === 'draft';
  return [
    `study ${created.id} is ${isDraft ? 'a draft' : 'open'} at ${coordinator}`,
    '',
    `  ${folder.adminLink.padEnd(width)}  yours: anyone who holds it can run the study`,
    ...sites.map((site, k) => `  ${files[k].padEnd(width)}  for ${site} alone`),
    ...(isOpen ? [`  ${files[sites.length].padEnd(width)}  for any device; each enrols once`] : []),
    '',
    ...(sites.length === 0
      ? ['give the open link to those who may take part. A device then runs']
      : ['send every invitation by a way only its site can read. A site then runs']),
    `  suffice join ${shellWord(sites.length === 0 ? OPEN_LINK : `${sites[0]}.invitation`)} FILE`,
    'and you',
    ...(isDraft ? [`  suffice study open ${shellWord(folder.adminLink)}`] : []),
    `  suffice status ${shellWord(folder.adminLink)} --watch`,
    ...(isOpen ? [`  suffice study end-enrolment ${shellWord(folder.adminLink)}`] : []),
    `  suffice close ${shellWord(folder.adminLink)}`,
    `  suffice report ${shellWord(folder.adminLink)}`,
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function dryRunJson(request: CreateStudy, coordinator: string, folder: string): string {
  const { study, parent: _, ...rest } = request; // the invitation has a secret
  const answer = {
    schema: 'suffice/study-create-plan@1',
    coordinator,
    folder,
    digest: studyDigest(study),
    ...rest,
  };
  return `${visibleJson(JSON.stringify(answer, null, 2))}\n`;
}

function dryRunText(
  { study, sites, draft, invitationsExpire, open }: CreateStudy,
  coordinator: string,
  folder: string,
): string {
  const { layout, digest } = agreement(study);
  const numbers = entriesOf(layout);
  return [
    studyTitle(study),
    `coordinator ${coordinator}`,
    `study       ${digest}${draft === true ? ', a draft' : ''}`,
    ...(sites.length === 0
      ? []
      : [
          `invites     ${sites.join(', ')}${invitationsExpire === undefined ? '' : `, until ${invitationsExpire}`}`,
        ]),
    ...(open === undefined
      ? []
      : [
          `open        to ${open.atMost === undefined ? 'any number of' : `at most ${open.atMost}`} devices`,
        ]),
    `each site   sends ${numbers} numbers once, ${byteText(sentBytes(layout))} and a header`,
    `links       would be written to ${folder}`,
    'nothing was sent (--dry-run)',
    '',
  ].join('\n');
}
