import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import {
  type LedgerView,
  ledgerView,
  type ReleaseView,
  SHOWN_DELTA,
} from '../node/site/ledger-view.ts';
import { openSiteFolder, siteFolder } from '../node/site/site-folder.ts';
import { epsilonOf } from '../privacy/calibration.ts';
import { studyId } from '../protocol/study-part.ts';
import { wrapped } from '../site/wrapped.ts';
import { grouped, significant } from '../text/number-text.ts';
import type { Ink } from '../text/text-table.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { CommandEnd, exitCode, type Io, noticeOn } from './io.ts';
import { inkFor, textTable } from './terminal-text.ts';

interface LedgerFlags {
  readonly home?: string;
  readonly json?: boolean;
}

/** `suffice ledger`: what has left this site, what it spent, and whether the ledger is intact. */
export function addLedgerCommand(program: Command, io: Io): void {
  program
    .command('ledger')
    .description('what has left this site, the privacy it spent, and whether the ledger is intact')
    .option('--home <folder>', 'the site’s own folder (SUFFICE_HOME, ~/.suffice)')
    .option('--json', 'print JSON')
    .action((flags) => runLedger(flags, io));
}

async function runLedger(flags: LedgerFlags, io: Io): Promise<void> {
  const folder = siteFolder(flags.home, io);
  const view: LedgerView = existsSync(folder)
    ? await ledgerView(await openSiteFolder(folder, noticeOn(io)))
    : { schema: 'suffice/ledger@1', folder, intact: true, releases: [], spent: [] };
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(JSON.stringify(view, null, 2))}\n`
      : ledgerText(view, inkFor(io)),
  );
  if (view.intact) return;
  io.stderr.write(`suffice: the ledger cannot be trusted: ${view.problem}\n  → ${view.remedy}\n`);
  throw new CommandEnd(exitCode.refused);
}

function ledgerText({ folder, intact, releases, spent }: LedgerView, ink: Ink): string {
  if (releases.length === 0) {
    return intact ? `nothing has left this site, as far as ${folder} tells\n` : '';
  }
  const [head, ...rows] = textTable([['when', 'study', 'site', 'outcome'], ...releases.map(cells)]);
  const holds = `${counted(releases.length, 'release')}; the ledger in ${folder} is intact`;
  return [
    ink.faint(head),
    ...rows.flatMap((row, k) => [row, ...wrapped('    ', contentText(releases[k]))]),
    '',
    ...spentLines({ spent }),
    ...(intact ? [...wrapped('', holds), ''] : []),
  ].join('\n');
}

function cells({ at, study, site, outcome }: ReleaseView): string[] {
  return [
    at.slice(0, 'YYYY-MM-DD hh:mm'.length).replace('T', ' '),
    studyId(study),
    visibleText(site),
    outcome,
  ];
}

/** What left, how the study counts it, what it cost, and where it went. */
function contentText({ to, rows, columns, mode, mu, evaluated }: ReleaseView): string {
  const contributed = mode === 'add' ? 'adds' : 'replaces all before by';
  const turn = evaluated === undefined ? contributed : 'counts of an evaluation on';
  const width = columns === undefined ? '' : ` of ${counted(columns.length, 'column')}`;
  const cost =
    mu === undefined
      ? 'exact'
      : `μ ${significant(mu, 3)}, ε ${significant(epsilonOf(mu, SHOWN_DELTA), 3)}`;
  const place = to === undefined ? '' : `; to ${visibleText(to)}`;
  return `${turn} ${counted(rows, 'row')}${width}, ${cost}${place}`;
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function spentLines({ spent }: Pick<LedgerView, 'spent'>): string[] {
  if (spent.length === 0) return [];
  return [
    `what a row has spent in private releases, at most (ε at δ = ${SHOWN_DELTA.toExponential()}):`,
    ...spent.map(({ releases, mu, epsilon }) => {
      const count = `${releases.length} ${releases.length === 1 ? 'release' : 'releases that share rows'}`;
      return `  μ ${significant(mu, 3)}, ε ${significant(epsilon, 3)} in ${count}`;
    }),
    '',
  ];
}
