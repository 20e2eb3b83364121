import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isPrivate } from '../privacy/is-private.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
import type { Link } from '../protocol/link.ts';
import type { SealedErasure, StudyView, Withdrawal } from '../protocol/messages.ts';
import type { Study } from '../study/study.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { clientOptions, withConnection } from './connection.ts';
import { type Io, noticeOn } from './io.ts';
import { connectRound, type RoundFlags } from './round-connection.ts';

interface WithdrawFlags extends RoundFlags {
  readonly site?: string;
  readonly yes?: boolean;
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice withdraw`: a site leaves, and its contributions are erased. */
export function addWithdrawCommand(program: Command, io: Io): void {
  const withdraw = program
    .command('withdraw')
    .description('take a site’s contributions out of a study and have them erased')
    .argument('[link]', 'file with the site’s invitation, or the analyst’s link')
    .option('--site <name>', 'which site, with the analyst’s link')
    .option('--yes', 'do not ask')
    .option('--home <folder>', 'the site’s own folder; SUFFICE_HOME or ~/.suffice otherwise')
    .option('--json', 'print the signed erasure receipt');
  withConnection(
    withdraw.option('--round <number>', 'from this round only, where the study has several; all'),
  ).action((argument, flags) => runWithdraw(argument, flags, io));
}

async function runWithdraw(
  argument: string | undefined,
  flags: WithdrawFlags,
  io: Io,
): Promise<void> {
  const ownOf = async (link: Link): Promise<Link> => {
    const { isOpenLink } = await import('../protocol/enrolment.ts');
    if (!isOpenLink(link)) return link;
    const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
    const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
    const { ownLink } = await import('../site/enrol.ts');
    return ownLink(link, home, clientOptions(flags, io));
  };
  const { rounds, ...asked } = await connectRound(argument, flags, io, undefined, ownOf);
  const site = siteOf(asked.link, asked.view, flags);
  const left = flags.round === undefined ? rounds.filter((round) => has(round, site)) : [asked];
  if (left.length === 0) left.push(asked);
  if (flags.yes !== true) await ask(site, left, io);
  const erasures: SealedErasure[] = [];
  // The newest first: if one fails, the site has left the round that is under way.
  for (const { link, client, view } of left.toReversed()) {
    const { erasure, file } =
      link.purpose === 'join'
        ? await leave(client, view, site, flags, io)
        : { erasure: await client.withdraw({ site }), file: undefined };
    erasures.push(erasure);
    if (flags.json !== true) io.stdout.write(erasureText(erasure, view, file));
  }
  if (flags.json !== true) return;
  const answer =
    erasures.length === 1 ? erasures[0] : { schema: 'suffice/withdrawn@1', site, erasures };
  io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
}

/** Whether a site is in a round and has not left it. */
function has({ view }: FollowedRound, site: string): boolean {
  return view.sites.some(({ name, state }) => name === site && state !== 'withdrawn');
}

function siteOf(link: Link, view: StudyView, { site }: WithdrawFlags): string {
  if (link.purpose === 'study') {
    if (site !== undefined) return site;
    throw new UsageError('which site is to be withdrawn?', 'name it with --site');
  }
  const own = view.you?.site ?? '';
  if (site === undefined || site === own) return own;
  throw new UsageError('the invitation is another site’s', 'leave out --site');
}

async function ask(site: string, left: readonly FollowedRound[], io: Io): Promise<void> {
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    throw new UsageError('withdrawing must be confirmed', 'add --yes where nobody can be asked');
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  const [
    {
      view: { id },
    },
  ] = left;
  const again = left.some(({ view }) => view.state === 'resolved')
    ? ' and resolve the study again without it'
    : '';
  const rounds = left.length === 1 ? '' : `, in all ${left.length} rounds,`;
  const answer = await confirm({
    message: `Erase all contributions of ${visibleText(site)} to study ${id}${rounds}${again}?`,
    initialValue: false,
    input: io.stdin,
    output: io.stderr,
  });
  if (answer !== true || isCancel(answer)) {
    throw new UsageError('nothing was withdrawn', 'answer yes, or add --yes');
  }
}

/** Withdraws as a site: signs the withdrawal and keeps the erasure receipt. */
async function leave(
  client: StudyClient,
  view: StudyView,
  site: string,
  flags: WithdrawFlags,
  io: Io,
): Promise<{ readonly erasure: SealedErasure; readonly file: string }> {
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const { sealDocument } = await import('../protocol/signature.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  const withdrawal: Withdrawal = {
    schema: 'suffice/withdrawal@1',
    study: view.digest,
    site,
    sequence: view.you?.nextSequence ?? 1,
  };
  const erasure = await client.withdraw({
    withdrawal: sealDocument(withdrawal, await home.key()),
  });
  await home.discard(view.digest, site);
  await home.keepTraining?.(view.digest, site);
  const receipts = join(home.folder, 'receipts');
  mkdirSync(receipts, { recursive: true, mode: 0o700 });
  const file = join(receipts, `${view.id}-erasure-${erasure.audit.position}.json`);
  writeFileSync(file, `${visibleJson(JSON.stringify(erasure, null, 2))}\n`, { mode: 0o600 });
  return { erasure, file };
}

function erasureText(
  { site, erased, erasedAt, seal }: SealedErasure,
  { state, study }: StudyView,
  file: string | undefined,
): string {
  return [
    `${visibleText(site)} has left the study: ${erased.length} ${erased.length === 1 ? 'contribution' : 'contributions'} erased at ${erasedAt}`,
    ...erased.map((digest) => `  ${digest}`),
    ...(state === 'resolved' ? [afterwards(study)] : []),
    `signed by ${seal.key}${file === undefined ? '' : `; the receipt is ${file}`}`,
    '',
  ].join('\n');
}

/** What a withdrawal does to a resolved study. */
function afterwards(study: Study): string {
  return isPrivate(study)
    ? 'the model that was published with noise remains: it hides whether these rows are in it'
    : 'the study resolves again without it, if its quorum still holds';
}
