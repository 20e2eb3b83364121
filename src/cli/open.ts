import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { StudyView } from '../protocol/messages.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type Io, noticeOn } from './io.ts';
import { connectRound, type RoundFlags, withRound } from './round-connection.ts';

interface OpenFlags extends RoundFlags {
  readonly yes?: boolean;
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice open`: the analyst asks the sites of an impossible total to open what they sent, and a site agrees. */
export function addOpenCommand(program: Command, io: Io): void {
  const open = program
    .command('open')
    .description('find out who sent wrong numbers to a secure study: ask the sites, or agree')
    .argument('[link]', 'file with the analyst’s link, to ask; or with the invitation, to agree')
    .option('--yes', 'agree, and do not ask')
    .option('--home <folder>', 'the site’s own folder; SUFFICE_HOME or ~/.suffice otherwise')
    .option('--json', 'print JSON');
  withRound(open).action((argument, flags) => runOpen(argument, flags, io));
}

async function runOpen(argument: string | undefined, flags: OpenFlags, io: Io): Promise<void> {
  const { link, client, view } = await connectRound(argument, flags, io);
  const after =
    link.purpose === 'study' ? await client.askOpening() : await agree({ client, view }, flags, io);
  const { opening } = after;
  if (flags.json === true) {
    const answer = { schema: 'suffice/open@1', id: view.id, state: after.state, opening };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
    return;
  }
  const { openingLines } = await import('../site/opening-text.ts');
  const said = link.purpose === 'study' ? ASKED : AGREED;
  const lines = opening === undefined ? [] : openingLines(opening).map((line) => `  ${line}`);
  io.stdout.write(`${visibleLines([said, ...lines].join('\n'))}\n`);
}

const ASKED =
  'the sites are asked to open what they sent: each agrees with "suffice open" and its invitation, or on its page';
const AGREED = 'this site has agreed; the coordinator asks the helper now (suffice status)';

/** Shows a site what it would open, asks, and sends its signed word. */
async function agree(
  { client, view }: Pick<Awaited<ReturnType<typeof connectRound>>, 'client' | 'view'>,
  flags: OpenFlags,
  io: Io,
): Promise<StudyView> {
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const { sendOpening, askedOpening } = await import('../site/send-opening.ts');
  const { beforeOpeningText } = await import('../site/before-opening-text.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  const opening = await askedOpening(view, home);
  io.stderr.write(`${visibleLines(beforeOpeningText(view).join('\n'))}\n`);
  if (flags.yes !== true) await confirmOpening(io);
  const { signed, after } = await sendOpening(client, home, opening);
  const receipts = join(home.folder, 'receipts');
  mkdirSync(receipts, { recursive: true, mode: 0o700 });
  const file = join(receipts, `${view.id}-opening.json`);
  writeFileSync(file, `${visibleJson(JSON.stringify(signed, null, 2))}\n`, { mode: 0o600 });
  return after;
}

async function confirmOpening(io: Io): Promise<void> {
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    throw new UsageError('opening must be confirmed', 'add --yes where nobody can be asked');
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: 'Let the coordinator see the statistic of this site?',
    initialValue: false,
    input: io.stdin,
    output: io.stderr,
  });
  if (answer !== true || isCancel(answer)) {
    throw new UsageError('nothing was opened', 'answer yes, or add --yes');
  }
}
