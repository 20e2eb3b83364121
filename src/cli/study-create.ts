import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { requireSiteName } from '../coordinator/site-name.ts';
import { agreement, codebookIn } from '../federate.ts';
import { createStudyFolder, type StudyFolder } from '../node/files/study-folder.ts';
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
import { repeatedFlag } from './flags.ts';
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
    .option('--draft', 'sites cannot contribute before suffice study open')
    .option('--expires <time>', 'when invitations stop working: 30d or an ISO 8601 time')
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
  const request: CreateStudy = {
    study,
    sites,
    ...(flags.draft === true ? { draft: true } : {}),
    ...(flags.expires === undefined
      ? {}
      : { invitationsExpire: parseMoment('--expires', flags.expires) }),
  };
  const { linkText, studyId } = await import('../protocol/link.ts');
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
  const kept = createStudyFolder(folder, sites);
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
  io.stdout.write(
    flags.json === true
      ? createdJson(created, coordinator, links, kept)
      : createdText(created, coordinator, kept),
  );
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
  { site, sitesFile }: CreateFlags,
  roster: Readonly<Record<string, string>> = {},
): string[] {
  const lines = sitesFile === undefined ? [] : readFileSync(sitesFile, 'utf8').split(/\r?\n/);
  const sites = [...site, ...lines].map((name) => name.trim()).filter((name) => name !== '');
  if (sites.length === 0) sites.push(...Object.keys(roster));
  if (sites.length === 0) {
    throw new UsageError(
      'no site is invited',
      'name each with --site, or list them in --sites-file',
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
}

function linksOf(
  { id, digest, adminToken, invitations, coordinatorKey }: StudyCreated,
  coordinator: string,
  linkText: (link: Link) => string,
): Links {
  const link = (purpose: 'join' | 'study', token: string) =>
    linkText({ coordinator, purpose, study: id, digest, token, coordinatorKey });
  return {
    admin: link('study', adminToken),
    invitations: invitations.map(({ site, token }) => ({ site, link: link('join', token) })),
  };
}

function createdJson(
  { schema, id, digest, state, coordinatorKey }: StudyCreated,
  coordinator: string,
  { admin, invitations }: Links,
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
  };
  return `${visibleJson(JSON.stringify(answer, null, 2))}\n`;
}

function createdText(created: StudyCreated, coordinator: string, folder: StudyFolder): string {
  const sites = created.invitations.map(({ site }) => site);
  const files = sites.map((site) => folder.invitationOf(site));
  const width = Math.max(folder.adminLink.length, ...files.map((file) => file.length));
  const isDraft = created.state === 'draft';
  return [
    `study ${created.id} is ${isDraft ? 'a draft' : 'open'} at ${coordinator}`,
    '',
    `  ${folder.adminLink.padEnd(width)}  yours: anyone who holds it can run the study`,
    ...sites.map((site, k) => `  ${files[k].padEnd(width)}  for ${site} alone`),
    '',
    'send every invitation by a way only its site can read. A site then runs',
    `  suffice join ${shellWord(`${sites[0]}.invitation`)} FILE`,
    'and you',
    ...(isDraft ? [`  suffice study open ${shellWord(folder.adminLink)}`] : []),
    `  suffice status ${shellWord(folder.adminLink)} --watch`,
    `  suffice close ${shellWord(folder.adminLink)}`,
    `  suffice report ${shellWord(folder.adminLink)}`,
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function dryRunJson(request: CreateStudy, coordinator: string, folder: string): string {
  const { study, ...rest } = request;
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
  { study, sites, draft, invitationsExpire }: CreateStudy,
  coordinator: string,
  folder: string,
): string {
  const { layout, digest } = agreement(study);
  const numbers = entriesOf(layout);
  return [
    studyTitle(study),
    `coordinator ${coordinator}`,
    `study       ${digest}${draft === true ? ', a draft' : ''}`,
    `invites     ${sites.join(', ')}${invitationsExpire === undefined ? '' : `, until ${invitationsExpire}`}`,
    `each site   sends ${numbers} numbers once, ${byteText(sentBytes(layout))} and a header`,
    `links       would be written to ${folder}`,
    'nothing was sent (--dry-run)',
    '',
  ].join('\n');
}
