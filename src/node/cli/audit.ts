import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { Audit } from '../../disclosure/rule.ts';
import { type DisclosureFlags, withProfile } from './disclosure-flags.ts';
import { exitCode } from './failure.ts';
import { choice } from './flags.ts';
import { inkFor } from './ink.ts';
import { type ReadingFlags, readingChoices, withReading } from './join.ts';
import { onlookerFor } from './onlooker.ts';

interface AuditFlags extends ReadingFlags, Pick<DisclosureFlags, 'profile'> {
  readonly site?: string;
  readonly mode: 'add' | 'replace';
  readonly home?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice audit`: what the rules of disclosure control say of a file, before anyone is asked to send it. */
export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description('hold your file against the disclosure rules; nothing leaves this machine')
    .argument('<study>', 'JSON file with the study')
    .argument('<file>', 'your rows: CSV or Parquet')
    .option('--site <name>', 'name of the site; that of the file unless given')
    .addOption(choice('--mode <mode>', 'add rows, or replace all sent before', ['add', 'replace']))
    .option('--home <folder>', 'ledger of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--json', 'print the audit as JSON')
    .option('--quiet', 'no progress bar');
  withReading(withProfile(command)).action(runAudit);
}

async function runAudit(studyPath: string, path: string, flags: AuditFlags): Promise<void> {
  const { readStudy } = await import('../study-file.ts');
  const { agreement } = await import('../../federate.ts');
  const agreed = agreement(await readStudy(studyPath));
  const site = flags.site ?? basename(path, extname(path));
  const { requireSiteName } = await import('../../coordinator/site-name.ts');
  requireSiteName(site, agreed);
  const { openSiteHome, siteFolder } = await import('../site-home.ts');
  const { refuseDoubtfulLedger } = await import('../../site/home.ts');
  const { prepareContribution } = await import('../../site/prepare-contribution.ts');
  const { preparing } = await import('../onlooker.ts');
  const { profile } = flags;
  const home = await openSiteHome(siteFolder(flags.home));
  await refuseDoubtfulLedger(home);
  const lines = (await home.ledger()).filter(({ study }) => study === agreed.digest);
  const { threads, ...reading } = readingChoices(flags);
  const preparation = {
    ...{ agreed, site, turn: { sequence: 1, mode: flags.mode }, rows: { path }, home },
    place: lines.at(-1)?.charge?.place ?? 'file', // where it went before, if it did
    ...reading,
    ...(profile === undefined ? {} : { disclosure: { profile } }),
  };
  const onlooker = onlookerFor(flags);
  const { audit } = await preparing(threads, onlooker, (pool) =>
    prepareContribution(preparation, pool, onlooker.watch),
  );
  if (audit?.outcome === 'refuse') process.exitCode = exitCode.refused;
  process.stdout.write(flags.json === true ? auditJson(audit) : await auditText(audit));
}

function auditJson(audit: Audit | undefined): string {
  return `${JSON.stringify(audit ?? { schema: 'suffice/audit@1', profile: 'none' }, null, 2)}\n`;
}

async function auditText(audit: Audit | undefined): Promise<string> {
  if (audit === undefined)
    return 'The study switches the rules off; --profile default applies them.\n';
  const { auditStory } = await import('../../site/audit-story.ts');
  return auditStory(audit, inkFor(process.stdout));
}
