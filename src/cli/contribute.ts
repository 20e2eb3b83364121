import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Pool } from '../rows/pool.ts';
import { siteNameOf } from '../rows/site-names.ts';
import type { Prepared } from '../site/prepare-contribution.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type DisclosureFlags, disclosureChoices, withDisclosure } from './disclosure-flags.ts';
import { choice, refuseUnwritable, wholeNumber } from './flags.ts';
import { type Io, noticeOn, pathIn } from './io.ts';
import { type ReadingFlags, readingChoices, releaseJson, withReading } from './join.ts';
import { printingRefusal, printRehearsal } from './refused-audit.ts';
import { type ScreenFlags, siteScreen } from './screen.ts';
import { type WordingFlags, wordingOf } from './wording-flags.ts';

interface ContributeFlags extends ReadingFlags, WordingFlags, ScreenFlags, DisclosureFlags {
  readonly out?: string;
  readonly site?: string;
  readonly sequence: string;
  readonly mode: 'add' | 'replace';
  readonly unsigned?: boolean;
  readonly home?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly fromResult?: readonly string[];
}

/** `suffice contribute`: a site's contribution as a file, without any network. */
export function addContributeCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const contribute = program
    .command('contribute')
    .description('write a contribution to a file instead of sending it')
    .argument('<study>', 'JSON file with the study', asPath)
    .argument(
      '[file]',
      'your rows: CSV or Parquet; or images: a folder with a sub-folder for each class, or files such as IDX',
      asPath,
    )
    .option(
      '--from-result <file...>',
      'in place of rows: what your database answered to the queries of suffice sql, as CSV or JSON',
    )
    .option('--out <file>', 'where to write the contribution, such as north.suffice', asPath)
    .option('--site <name>', 'name of the site; the name of the file unless given')
    .option('--sequence <n>', 'number of this contribution at the site, from 1', '1')
    .addOption(choice('--mode <mode>', 'add rows, or replace all sent before', ['add', 'replace']))
    .option('--unsigned', 'do not sign it')
    .option('--home <folder>', 'key and ledger of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('--force', 'overwrite the file')
    .option('--yes', 'with --quiet: no explanations')
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no progress bar');
  withReading(withDisclosure(contribute)).action((studyPath, path, flags) =>
    runContribute(studyPath, path, flags, io),
  );
}

async function runContribute(
  studyPath: string,
  given: string | undefined,
  flags: ContributeFlags,
  io: Io,
): Promise<void> {
  const { out } = flags;
  if (out === undefined && flags.dryRun !== true) {
    throw new UsageError('--out is missing', 'say where to write: --out north.suffice');
  }
  refuseUnwritable('--out', out);
  if (out !== undefined && existsSync(out) && flags.force !== true && flags.dryRun !== true) {
    throw new UsageError(`${out} is there already`, 'name another file, or overwrite with --force');
  }
  const answers = flags.fromResult?.map(pathIn(io));
  if ((given === undefined) === (answers === undefined)) {
    throw new UsageError(
      given === undefined ? 'no file was given' : 'a file and --from-result exclude each other',
      'name the file with the rows, or with --from-result those with the answers of the database',
    );
  }
  if (answers !== undefined)
    return writeContribution(studyPath, answers[0], flags, io, { answers });
  const path = given!;
  const { threads } = readingChoices(flags);
  const { withPool } = await import('../node/compute/pool.ts');
  await withPool(path, threads, (pool) => writeContribution(studyPath, path, flags, io, { pool }));
}

async function writeContribution(
  studyPath: string,
  path: string,
  flags: ContributeFlags,
  io: Io,
  from: { readonly pool: Pool } | { readonly answers: readonly string[] },
): Promise<void> {
  const { out } = flags;
  const sequence = wholeNumber('--sequence', flags.sequence);
  const { readStudy } = await import('../node/files/json-file.ts');
  const study = await readStudy(studyPath);
  const { agreement } = await import('../federate.ts');
  const agreed = agreement(study);
  if (flags.unsigned === true && agreed.aggregation.roster !== undefined) {
    throw new UsageError(
      'the roster of the study fixes the keys of its sites: an unsigned contribution cannot be used',
      'leave out --unsigned',
    );
  }
  const site = flags.site ?? siteNameOf(path);
  const { requireSiteName } = await import('../coordinator/site-name.ts');
  requireSiteName(site, agreed);
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const { refuseDoubtfulLedger } = await import('../site/site-store.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  await refuseDoubtfulLedger(home);
  const { prepareContribution, refuseAudit, refuseUnacknowledged, unacknowledged } = await import(
    '../site/prepare-contribution.ts'
  );
  const { acknowledged, ...own } = disclosureChoices(flags);
  const { studyTermsText } = await import('../site/study-text.ts');
  const screen = siteScreen(flags, io);
  screen.show(studyTermsText(agreed, screen.ink));
  const { preparing, showPrepared } = await import('../node/site/site-screen.ts');
  const { threads: _, ...choices } = readingChoices(flags);
  const wording = wordingOf(agreed, flags);
  const reading = { ...choices, ...defined({ wording }) };
  const basis = {
    ...{ agreed, site, numbering: { sequence, mode: flags.mode }, place: 'file', store: home },
    ...own,
    ...(flags.unsigned === true ? {} : { key: await home.key() }),
  };
  const ofRows = async (pool: Pool) => {
    const preparation = { ...basis, rows: { path }, ...reading };
    return preparing(preparation, screen, pool, () =>
      prepareContribution(preparation, pool, screen.watch),
    );
  };
  const ofAnswers = async (files: readonly string[]) => {
    const { prepareAnswer } = await import('../site/prepare-answer.ts');
    const { readAnswerFiles } = await import('../node/files/answer-files.ts');
    return prepareAnswer({ ...basis, ...readAnswerFiles(files), missing: flags.missing });
  };
  const prepared = await ('pool' in from ? ofRows(from.pool) : ofAnswers(from.answers));
  showPrepared(agreed, path, prepared, screen, acknowledged);
  if (flags.dryRun === true || out === undefined) {
    io.stdout.write(outcome(prepared, flags, undefined));
    await printRehearsal(prepared, flags, io);
    return;
  }
  const kept = 'nothing was written';
  await printingRefusal(
    flags,
    async () => {
      refuseAudit(prepared, kept);
      refuseUnacknowledged(unacknowledged(prepared, acknowledged), prepared.audit, kept);
    },
    io,
  );
  const { writeSafely } = await import('../node/files/safe-file.ts');
  const line = { at: new Date().toISOString(), to: resolve(out), outcome: 'written' as const };
  const { release, tags, reviewed } = prepared;
  await home.record({ ...line, ...release }, tags, reviewed, prepared); // first: what is written has left
  await writeSafely(out, prepared.file, 0o666);
  io.stdout.write(outcome(prepared, flags, out));
}

function outcome(
  { release, summary, audit }: Prepared,
  flags: ContributeFlags,
  out: string | undefined,
): string {
  if (flags.json === true) {
    const schema = out === undefined ? 'suffice/contribute-dry-run@1' : 'suffice/contributed@1';
    const place = out === undefined ? {} : { file: out };
    return `${visibleJson(JSON.stringify({ schema, ...releaseJson(release), dropped: summary.dropped, adjusted: summary.adjusted, audit, ...place }, null, 2))}\n`;
  }
  if (out === undefined) {
    const refused =
      audit?.outcome === 'refuse' ? ', and nothing could be: the audit refuses it' : '';
    return `\nnothing was written (--dry-run)${refused}\n`;
  }
  return `\n${out} holds the contribution of ${release.site}. Give it to the analyst:\n  suffice combine STUDY.json ${out} …\n`;
}
