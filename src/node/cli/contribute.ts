import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { Prepared } from '../../site/prepare-contribution.ts';
import { UsageError } from '../usage-error.ts';
import {
  type DisclosureFlags,
  disclosureChoices,
  refuseUnacknowledged,
  withDisclosure,
} from './disclosure-flags.ts';
import { choice, wholeNumber } from './flags.ts';
import { type ReadingFlags, readingChoices, withReading } from './join.ts';
import { type OnlookerFlags, onlookerFor } from './onlooker.ts';
import { tellingRefusal, tellRehearsed } from './refused-audit.ts';
import { toldRelease } from './told-release.ts';
import { refuseUnwritable } from './writable.ts';

interface ContributeFlags extends ReadingFlags, OnlookerFlags, DisclosureFlags {
  readonly out?: string;
  readonly site?: string;
  readonly sequence: string;
  readonly mode: 'add' | 'replace';
  readonly unsigned?: boolean;
  readonly home?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** `suffice contribute`: a site's contribution as a file, without any network. */
export function addContributeCommand(program: Command): void {
  const contribute = program
    .command('contribute')
    .description('write a contribution to a file instead of sending it')
    .argument('<study>', 'JSON file with the study')
    .argument('<file>', 'your rows: CSV or Parquet')
    .option('--out <file>', 'where to write the contribution, such as north.suffice')
    .option('--site <name>', 'name of the site; that of the file unless given')
    .option('--sequence <n>', 'which of the site’s contributions it is, from 1', '1')
    .addOption(choice('--mode <mode>', 'add rows, or replace all sent before', ['add', 'replace']))
    .option('--unsigned', 'do not sign it')
    .option('--home <folder>', 'key and ledger of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('--force', 'overwrite the file')
    .option('--yes', 'with --quiet: no explanations')
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no progress bar');
  withReading(withDisclosure(contribute)).action(runContribute);
}

async function runContribute(
  studyPath: string,
  path: string,
  flags: ContributeFlags,
): Promise<void> {
  const { out } = flags;
  if (out === undefined && flags.dryRun !== true) {
    throw new UsageError('--out is missing', 'say where to write: --out north.suffice');
  }
  refuseUnwritable('--out', out);
  const { existsSync } = await import('node:fs');
  if (out !== undefined && existsSync(out) && flags.force !== true && flags.dryRun !== true) {
    throw new UsageError(`${out} is there already`, 'name another file, or overwrite with --force');
  }
  const sequence = wholeNumber('--sequence', flags.sequence);
  const { readStudy } = await import('../study-file.ts');
  const study = await readStudy(studyPath);
  const { agreement } = await import('../../federate.ts');
  const agreed = agreement(study);
  const site = flags.site ?? basename(path, extname(path));
  const { requireSiteName } = await import('../../coordinator/site-name.ts');
  requireSiteName(site, agreed);
  const { openSiteHome, siteFolder } = await import('../site-home.ts');
  const { refuseDoubtfulLedger } = await import('../../site/home.ts');
  const home = await openSiteHome(siteFolder(flags.home));
  await refuseDoubtfulLedger(home);
  const { prepareContribution, refuseAudit, unacknowledged } = await import(
    '../../site/prepare-contribution.ts'
  );
  const { acknowledged, ...own } = disclosureChoices(flags);
  const { studyStory } = await import('../../site/story.ts');
  const onlooker = onlookerFor(flags);
  onlooker.show(studyStory(agreed, onlooker.ink));
  const { preparing, showPrepared } = await import('../onlooker.ts');
  const { threads, ...reading } = readingChoices(flags);
  const preparation = {
    ...{ agreed, site, turn: { sequence, mode: flags.mode }, place: 'file', rows: { path }, home },
    ...own,
    ...reading,
    ...(flags.unsigned === true ? {} : { key: await home.key() }),
  };
  const prepared = await preparing(threads, onlooker, (pool) =>
    prepareContribution(preparation, pool, onlooker.watch),
  );
  showPrepared(agreed, path, prepared, onlooker);
  if (flags.dryRun === true || out === undefined) {
    process.stdout.write(outcome(prepared, flags, undefined));
    await tellRehearsed(prepared, flags);
    return;
  }
  const kept = 'nothing was written';
  await tellingRefusal(flags, async () => {
    refuseAudit(prepared, kept);
    refuseUnacknowledged(unacknowledged(prepared, acknowledged), prepared.audit, kept);
  });
  const { writeSafely } = await import('../safe-file.ts');
  const { resolve } = await import('node:path');
  const line = { at: new Date().toISOString(), to: resolve(out), outcome: 'written' as const };
  const { release, tags, reviewed } = prepared;
  await home.record({ ...line, ...release }, tags, reviewed); // first: what is written has left
  await writeSafely(out, prepared.file, 0o666);
  process.stdout.write(outcome(prepared, flags, out));
}

function outcome(
  { release, summary, audit }: Prepared,
  flags: ContributeFlags,
  out: string | undefined,
): string {
  if (flags.json === true) {
    const schema = out === undefined ? 'suffice/contribute-dry-run@1' : 'suffice/contributed@1';
    const place = out === undefined ? {} : { file: out };
    const told = toldRelease(release);
    return `${JSON.stringify({ schema, ...told, dropped: summary.dropped, audit, ...place }, null, 2)}\n`;
  }
  if (out === undefined) {
    const refused =
      audit?.outcome === 'refuse' ? ', and nothing could be: the audit refuses it' : '';
    return `\nnothing was written (--dry-run)${refused}\n`;
  }
  return `\n${out} holds the contribution of ${release.site}. Give it to whoever runs the study:\n  suffice combine STUDY.json ${out} …\n`;
}
