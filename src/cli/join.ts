import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Acknowledgement } from '../disclosure/acknowledgement.ts';
import type { FileJoinRequest } from '../node/site/join-files.ts';
import type { SiteFolder } from '../node/site/site-folder.ts';
import type { Joined } from '../site/join.ts';
import type { Release } from '../site/ledger-chain.ts';
import type { Prepared } from '../site/prepare-contribution.ts';
import type { ReadingChoices } from '../site/site-table.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, uploadBar, withConnection } from './connection.ts';
import {
  type AnsweredFlags,
  answeredBy,
  explainingSums,
  withDatabase,
  withSitePushdown,
} from './database-flags.ts';
import { type DisclosureFlags, disclosureChoices, withDisclosure } from './disclosure-flags.ts';
import { choice, decimalFlag, wholeNumber } from './flags.ts';
import { CommandEnd, exitCode, type Io, noticeOn, pathIn } from './io.ts';
import { printingRefusal, printRehearsal } from './refused-audit.ts';
import { askYesNo, requireTerminal, type ScreenFlags, siteScreen } from './screen.ts';
import { type WordingFlags, withWording, wordingOf } from './wording-flags.ts';

interface JoinFlags
  extends ConnectionFlags,
    ReadingFlags,
    WordingFlags,
    ScreenFlags,
    DisclosureFlags,
    AnsweredFlags {
  readonly dryRun?: boolean;
  readonly add?: boolean;
  readonly replace?: boolean;
  readonly home?: string;
  readonly retryFor: string;
}

/** Flags that say how a site's file is read. */
export interface ReadingFlags {
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
  readonly threads?: string;
}

/** `suffice join`: a site takes part in a study with one file. */
export function addJoinCommand(program: Command, io: Io): void {
  const join = program
    .command('join')
    .description('take part in a study with your file: see what is sent, approve, send')
    .argument(
      '<invitation>',
      'file with the invitation; - to paste it; none with SUFFICE_INVITATION',
    )
    .argument(
      '[file]',
      'your rows: CSV or Parquet; a table of a database, such as postgres://user@host/database#table; or images: a folder with a sub-folder for each class, or files such as IDX',
    )
    .option(
      '--from-result <file...>',
      'in place of rows: what your database answered to the queries of suffice sql, as CSV or JSON',
    )
    .option('--dry-run', 'show what is sent; send nothing')
    .option('--yes', 'approve without being asked')
    .option('--add', 'the file holds new rows only, beside those sent before')
    .option('--replace', 'the file replaces everything sent before')
    .option('--home <folder>', 'key, ledger and receipts of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--retry-for <time>', 'how long to try again when the network fails', '10m')
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no progress; with --yes no explanations either');
  withConnection(withReading(withDisclosure(withSitePushdown(join)), io)).action(
    (first, second, flags) => runJoin(first, second, flags, io),
  );
}

/** Adds the flags that say how a site's file is read. */
export function withReading(command: Command, io: Io): Command {
  return explainingSums(withDatabase(withWording(command), io), io)
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .addOption(decimalFlag())
    .addOption(choice('--missing <rule>', 'rows with missing cells', ['drop', 'refuse']))
    .option('--threads <n>', 'threads to read with');
}

export function readingChoices(
  flags: ReadingFlags,
): ReadingChoices & { readonly threads?: number } {
  const { encoding, decimal, missing, threads } = flags;
  return {
    missing,
    ...defined({ encoding, decimal }),
    ...(threads === undefined ? {} : { threads: wholeNumber('--threads', threads) }),
  };
}

async function runJoin(
  first: string,
  second: string | undefined,
  flags: JoinFlags,
  io: Io,
): Promise<void> {
  if (flags.add === true && flags.replace === true) {
    throw new UsageError(
      '--add and --replace exclude each other',
      '--add for new rows only, --replace for a file that holds all rows',
    );
  }
  const retryFor = await retryTime(flags.retryFor);
  const { looksLikeLink, readLink } = await import('../node/files/link-file.ts');
  const { fromResult } = flags;
  if (fromResult !== undefined && second !== undefined) {
    throw new UsageError(
      'a file and --from-result exclude each other',
      'name the file with the rows, or with --from-result those with the answers of the database',
    );
  }
  const alone = second === undefined && fromResult === undefined && !looksLikeLink(first);
  if (alone && !hasInvitation(io.env)) await refuseLoneInvitation(first, io);
  const link = await readLink(alone ? undefined : first, 'join', io);
  const file = alone ? first : (second ?? fromResult?.[0]);
  if (file === undefined) {
    throw new UsageError('no file was given', 'suffice join INVITATION FILE');
  }
  const path = pathIn(io)(file);
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  const again = modeOf(flags);
  const { ownLink, rehearsalLink } = await import('../site/enrol.ts');
  const linkOf = flags.dryRun === true ? rehearsalLink : ownLink;
  const request: FileJoinRequest = {
    link: await linkOf(link, home, { ...clientOptions(flags, io), retryFor }),
    path,
    ...readingChoices(flags),
    ...disclosureChoices(flags),
    ...defined({ again, answered: await answeredBy(path, flags, io) }),
    wordingOf: (agreed) => wordingOf(agreed, flags),
    client: {
      ...clientOptions(flags, io),
      retryFor,
      ...(flags.quiet === true ? { onRetry: () => {} } : uploadBar(io)),
    },
  };
  const screen = siteScreen(flags, io);
  const { joinStudy, rehearseJoin } = await import('../node/site/join-files.ts');
  const { refuseUnacknowledged } = await import('../site/prepare-contribution.ts');
  if (flags.dryRun === true) {
    const rehearsed = await rehearseJoin(request, home, screen);
    io.stdout.write(flags.json === true ? rehearsedJson(rehearsed) : rehearsedText(rehearsed));
    await printRehearsal(rehearsed, flags, io);
    return;
  }
  const { interrupted, forget } = interruption(io);
  const joining = printingRefusal(
    flags,
    () =>
      joinStudy(request, home, {
        ...screen,
        refuseUnattended: () => {
          if (flags.yes !== true) requireTerminal(io);
        },
        approve: async (open, audit) => {
          if (flags.yes !== true) return askYesNo(questionOf(open), io);
          refuseUnacknowledged(open, audit, 'nothing was sent');
          return true;
        },
      }),
    io,
  );
  const joined = await Promise.race([joining, interrupted]).finally(forget);
  io.stdout.write(flags.json === true ? joinedJson(joined) : joinedText(joined, home));
}

function hasInvitation(env: Io['env']): boolean {
  return [env.SUFFICE_INVITATION, env.SUFFICE_LINK].some((link) => (link ?? '') !== '');
}

/** Throws where the only argument is the file of an invitation: the file with the rows was forgotten. */
async function refuseLoneInvitation(path: string, io: Io): Promise<void> {
  const { readLink } = await import('../node/files/link-file.ts');
  const link = await readLink(path, undefined, io).catch(() => undefined);
  if (link !== undefined) {
    throw new UsageError('the file with your rows was not given', 'suffice join INVITATION FILE');
  }
}

/** Fails at Ctrl-C, until it is forgotten. */
function interruption(io: Io): {
  readonly interrupted: Promise<never>;
  readonly forget: () => void;
} {
  let forget = () => {};
  const interrupted = new Promise<never>((_, fail) => {
    forget = io.onSignal('SIGINT', () => {
      io.stderr.write('\ninterrupted; run the same command again, and it goes on from here\n');
      fail(new CommandEnd(exitCode.interrupted));
    });
  });
  return { interrupted, forget };
}

function modeOf({ add, replace }: JoinFlags): FileJoinRequest['again'] {
  if (add === true) return 'add';
  return replace === true ? 'replace' : undefined;
}

async function retryTime(text: string): Promise<number> {
  const { parseDuration } = await import('../text/duration.ts');
  const time = parseDuration(text);
  if (time !== undefined) return time;
  throw new UsageError(`--retry-for is no length of time: ${text}`, 'try --retry-for 10m');
}

function questionOf(open: readonly Acknowledgement[]): string {
  const question = 'Send this to the coordinator?';
  if (open.length === 0) return question;
  return open.includes('none')
    ? `The study has switched the disclosure rules off, so no rule has checked this. ${question}`
    : `The audit warns of ${open.join(', ')}, as shown above. ${question}`;
}

function rehearsedText({ audit }: Prepared): string {
  const refused = audit?.outcome === 'refuse' ? ', and nothing could be: the audit refuses it' : '';
  return `\nnothing was sent (--dry-run)${refused}\n`;
}

function rehearsedJson({ release, summary, audit }: Prepared): string {
  return json({
    schema: 'suffice/join-dry-run@1',
    ...releaseJson(release),
    dropped: summary.dropped,
    ...defined({ adjusted: summary.adjusted }),
    audit,
  });
}

function joinedJson({ release, receipt, kept, round }: Joined): string {
  const { late, receivedAt } = receipt;
  return json({
    schema: 'suffice/joined@1',
    ...releaseJson(release),
    late,
    receivedAt,
    receipt: kept,
    ...defined({ round }),
  });
}

function json(value: object): string {
  return `${visibleJson(JSON.stringify(value, null, 2))}\n`;
}

function joinedText({ receipt, kept, round }: Joined, { folder }: SiteFolder): string {
  return [
    '',
    receipt.late
      ? 'Sent and acknowledged, after the study had closed: it counts once a new resolution includes it.'
      : 'Sent and acknowledged. The study resolves when every site has contributed, or at its deadline.',
    ...(round === undefined ? [] : [`  round      ${round} of the study`]),
    `  receipt    ${kept}`,
    `  ledger     ${folder}/ledger.jsonl`,
    '  The model, when there is one:  suffice report INVITATION --wait',
    '',
  ].join('\n');
}

/** A release as JSON: without what only the ledger needs. */
export function releaseJson(release: Release): object {
  const { study, site, sequence, mode, rows, numbers, bytes, digest, charge } = release;
  const facts = { study, site, sequence, mode, rows, numbers, bytes, digest };
  return charge === undefined ? facts : { ...facts, mu: charge.mu };
}
