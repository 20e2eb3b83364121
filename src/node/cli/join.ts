import { type Command, Option } from 'commander';
import type { Joined } from '../../site/join.ts';
import type { Prepared } from '../../site/prepare-contribution.ts';
import type { ReadingChoices } from '../../site/site-table.ts';
import type { JoinRequest } from '../join.ts';
import type { FolderHome } from '../site-home.ts';
import { UsageError } from '../usage-error.ts';
import { type ConnectionFlags, clientOptions, withConnection } from './connection.ts';
import {
  type DisclosureFlags,
  disclosureChoices,
  refuseUnacknowledged,
  withDisclosure,
} from './disclosure-flags.ts';
import { choice, wholeNumber } from './flags.ts';
import { ask, INTERRUPTED, type OnlookerFlags, onlookerFor, refuseUnattended } from './onlooker.ts';
import { tellingRefusal, tellRehearsed } from './refused-audit.ts';
import { toldRelease } from './told-release.ts';

interface JoinFlags extends ConnectionFlags, ReadingFlags, OnlookerFlags, DisclosureFlags {
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
export function addJoinCommand(program: Command): void {
  const join = program
    .command('join')
    .description('take part in a study with your file: see what would leave, approve, send')
    .argument(
      '<invitation>',
      'file with the invitation; - to paste it; none with SUFFICE_INVITATION',
    )
    .argument('[file]', 'your rows: CSV or Parquet')
    .option('--dry-run', 'show what would leave; send nothing')
    .option('--yes', 'approve without being asked')
    .option('--add', 'the file holds new rows only, beside those sent before')
    .option('--replace', 'the file stands in place of all sent before')
    .option('--home <folder>', 'key, ledger and receipts of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--retry-for <time>', 'how long to try again when the network fails', '10m')
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no progress; with --yes no explanations either');
  withConnection(withReading(withDisclosure(join))).action(runJoin);
}

/** Adds the flags that say how a site's file is read. */
export function withReading(command: Command): Command {
  return command
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .addOption(
      new Option('--decimal <mark>', 'decimal mark of this file; the study’s unless given').choices(
        ['.', ','],
      ),
    )
    .addOption(choice('--missing <rule>', 'rows with missing cells', ['drop', 'refuse']))
    .option('--threads <n>', 'threads to read with');
}

export function readingChoices(
  flags: ReadingFlags,
): ReadingChoices & { readonly threads?: number } {
  const { encoding, decimal, missing, threads } = flags;
  return {
    missing,
    ...(encoding === undefined ? {} : { encoding }),
    ...(decimal === undefined ? {} : { decimal }),
    ...(threads === undefined ? {} : { threads: wholeNumber('--threads', threads) }),
  };
}

async function runJoin(first: string, second: string | undefined, flags: JoinFlags): Promise<void> {
  if (flags.add === true && flags.replace === true) {
    throw new UsageError(
      '--add and --replace exclude each other',
      '--add for new rows only, --replace for a file that holds all rows',
    );
  }
  const retryFor = await retryTime(flags.retryFor);
  const { looksLikeLink, readLink } = await import('../link-file.ts');
  const alone = second === undefined && !looksLikeLink(first);
  const link = await readLink(alone ? undefined : first, 'join');
  const path = alone ? first : second;
  if (path === undefined) {
    throw new UsageError('no file was given', 'suffice join INVITATION FILE');
  }
  const { openSiteHome, siteFolder } = await import('../site-home.ts');
  const home = await openSiteHome(siteFolder(flags.home));
  const again = flags.add === true ? 'add' : flags.replace === true ? 'replace' : undefined;
  const request: JoinRequest = {
    link,
    path,
    ...readingChoices(flags),
    ...disclosureChoices(flags),
    ...(again === undefined ? {} : { again }),
    client: {
      ...clientOptions(flags),
      retryFor,
      ...(flags.quiet === true ? { onRetry: () => {} } : {}),
    },
  };
  const onlooker = onlookerFor(flags);
  const { joinStudy, rehearseJoin } = await import('../join.ts');
  if (flags.dryRun === true) {
    const rehearsed = await rehearseJoin(request, home, onlooker);
    process.stdout.write(flags.json === true ? rehearsedJson(rehearsed) : rehearsedText(rehearsed));
    await tellRehearsed(rehearsed, flags);
    return;
  }
  const interrupt = () => {
    process.stderr.write('\ninterrupted; run the same command again, and it goes on from here\n');
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  try {
    const joined = await tellingRefusal(flags, () =>
      joinStudy(request, home, {
        ...onlooker,
        refuseUnattended: flags.yes === true ? () => {} : refuseUnattended,
        approve: async (warnings, audit) => {
          if (flags.yes !== true) return ask(questionOf(warnings));
          refuseUnacknowledged(warnings, audit, 'nothing was sent');
          return true;
        },
      }),
    );
    process.stdout.write(flags.json === true ? joinedJson(joined) : joinedText(joined, home));
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function retryTime(text: string): Promise<number> {
  const { parseDuration } = await import('../duration.ts');
  const time = parseDuration(text);
  if (time !== undefined) return time;
  throw new UsageError(`--retry-for is no length of time: ${text}`, 'try --retry-for 10m');
}

function questionOf(warnings: readonly string[]): string {
  const question = 'Send this to the coordinator?';
  return warnings.length === 0
    ? question
    : `The audit warns of ${warnings.join(', ')}, as shown above. ${question}`;
}

function rehearsedText({ audit }: Prepared): string {
  const refused = audit?.outcome === 'refuse' ? ', and nothing could be: the audit refuses it' : '';
  return `\nnothing was sent (--dry-run)${refused}\n`;
}

function rehearsedJson({ release, summary, audit }: Prepared): string {
  const told = toldRelease(release);
  return json({ schema: 'suffice/join-dry-run@1', ...told, dropped: summary.dropped, audit });
}

function joinedJson({ release, receipt, kept }: Joined): string {
  const { late, receivedAt } = receipt;
  const told = toldRelease(release);
  return json({ schema: 'suffice/joined@1', ...told, late, receivedAt, receipt: kept });
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function joinedText({ receipt, kept }: Joined, { folder }: FolderHome): string {
  return [
    '',
    receipt.late
      ? 'Sent and acknowledged, after the study had closed: it counts once a new resolution includes it.'
      : 'Sent and acknowledged. The study resolves when every site has contributed, or at its deadline.',
    `  receipt    ${kept}`,
    `  ledger     ${folder}/ledger.jsonl`,
    '  The model, when there is one:  suffice report INVITATION --wait',
    '',
  ].join('\n');
}
