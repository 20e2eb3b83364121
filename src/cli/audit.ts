import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Audit } from '../disclosure/rule.ts';
import { siteNameOf } from '../rows/site-names.ts';
import { visibleJson } from '../text/visible-text.ts';
import { type DisclosureFlags, ownRules, withProfile } from './disclosure-flags.ts';
import { choice } from './flags.ts';
import { CommandEnd, exitCode, type Io, noticeOn, pathIn } from './io.ts';
import { type ReadingFlags, readingChoices, withReading } from './join.ts';
import { siteScreen } from './screen.ts';
import { inkFor } from './terminal-text.ts';
import { type WordingFlags, wordingOf } from './wording-flags.ts';

interface AuditFlags
  extends ReadingFlags,
    WordingFlags,
    Pick<DisclosureFlags, 'profile' | 'forbidComparisons'> {
  readonly site?: string;
  readonly mode: 'add' | 'replace';
  readonly home?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice audit`: checks a file against the disclosure rules, before anything is sent. */
export function addAuditCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const command = program
    .command('audit')
    .description('check your file against the disclosure rules; nothing leaves this machine')
    .argument('<study>', 'JSON file with the study', asPath)
    .argument(
      '<file>',
      'your rows: CSV or Parquet; a table of a database, such as postgres://user@host/database#table; or images: a folder with a sub-folder for each class, or files such as IDX',
      asPath,
    )
    .option('--site <name>', 'name of the site; the name of the file unless given')
    .addOption(choice('--mode <mode>', 'add rows, or replace all sent before', ['add', 'replace']))
    .option('--home <folder>', 'ledger of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--json', 'print the audit as JSON')
    .option('--quiet', 'no progress bar');
  withReading(withProfile(command), io).action((studyPath, path, flags) =>
    runAudit(studyPath, path, flags, io),
  );
}

async function runAudit(studyPath: string, path: string, flags: AuditFlags, io: Io): Promise<void> {
  const { readStudy } = await import('../node/files/json-file.ts');
  const { agreement } = await import('../federate.ts');
  const agreed = agreement(await readStudy(studyPath));
  const site = flags.site ?? siteNameOf(path);
  const { requireSiteName } = await import('../coordinator/site-name.ts');
  requireSiteName(site, agreed);
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const { refuseDoubtfulLedger } = await import('../site/site-store.ts');
  const { prepareContribution } = await import('../site/prepare-contribution.ts');
  const { preparing } = await import('../node/site/site-screen.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  await refuseDoubtfulLedger(home);
  const lines = (await home.ledger()).filter(({ study }) => study === agreed.digest);
  const { threads, ...choices } = readingChoices(flags);
  const wording = wordingOf(agreed, flags);
  const reading = { ...choices, ...defined({ wording }) };
  const preparation = {
    ...{ agreed, site, numbering: { sequence: 1, mode: flags.mode }, rows: { path }, store: home },
    place: lines.at(-1)?.charge?.place ?? 'file', // where it went before, if it did
    ...reading,
    ...ownRules(flags),
  };
  const screen = siteScreen(flags, io);
  const { withPool } = await import('../node/compute/pool.ts');
  const { audit } = await withPool(path, threads, (pool) =>
    preparing(preparation, screen, pool, () =>
      prepareContribution(preparation, pool, screen.watch),
    ),
  );
  io.stdout.write(flags.json === true ? auditJson(audit) : await auditText(audit, io));
  if (audit?.outcome === 'refuse') throw new CommandEnd(exitCode.refused);
}

function auditJson(audit: Audit | undefined): string {
  return `${visibleJson(JSON.stringify(audit ?? { schema: 'suffice/audit@1', profile: 'none' }, null, 2))}\n`;
}

async function auditText(audit: Audit | undefined, io: Io): Promise<string> {
  if (audit === undefined)
    return 'The study switches the rules off; --profile default applies them.\n';
  const { auditText } = await import('../site/audit-text.ts');
  return auditText(audit, inkFor(io));
}
