import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { SiteCounts } from '../analysis/evaluation.ts';
import { defined } from '../defined.ts';
import type { ModelFile } from '../node/files/model-file.ts';
import type { PreparedCounts } from '../node/run/prepare-counts.ts';
import { Refusal } from '../protocol/refusal.ts';
import { siteNameOf } from '../rows/site-names.ts';
import { studyTitle } from '../study/study-title.ts';
import { finiteJson } from '../text/finite-json.ts';
import { visibleJson, visibleLines, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { withDatabase } from './database-flags.ts';
import {
  type DisclosureFlags,
  disclosureChoices,
  withAcknowledgement,
  withProfileName,
} from './disclosure-flags.ts';
import { refuseUnwritable, watcher, wholeNumber } from './flags.ts';
import { type Io, noticeOn, pathIn, pathsIn } from './io.ts';
import { askYesNo, requireTerminal } from './screen.ts';
import { inkFor } from './terminal-text.ts';

interface EvaluateFlags extends Pick<DisclosureFlags, 'profile' | 'acknowledge'> {
  readonly out?: string;
  readonly bins?: string;
  readonly site?: string;
  readonly extrapolate?: boolean;
  readonly encoding?: string;
  readonly json?: boolean;
  readonly home?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `suffice evaluate`: how a model does on rows that were held out, as counts only. */
export function addEvaluateCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const asPaths = pathsIn(io);
  const evaluate = program
    .command('evaluate')
    .description('count how a model of classes does on held-out rows, or add up such counts')
    .argument('<model>', 'what suffice report --out or suffice fit --save-model wrote', asPath)
    .argument(
      '<files...>',
      'one table with the response, at a site; or the counts of several sites',
      asPaths,
    )
    .option('--out <file>', 'where to write the counts; otherwise stdout', asPath)
    .option('--bins <n>', 'bins of the probability, where fewer are wanted than the study allows')
    .option('--site <name>', 'the site of all rows, for a model with .site in its formula')
    .option('--extrapolate', 'take numbers outside the codebook’s ranges too')
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .option('--home <folder>', 'rules and ledger of this site (SUFFICE_HOME, ~/.suffice)')
    .option('--dry-run', 'show what the counts tell; write nothing')
    .option('--yes', 'write the counts without being asked')
    .option('--json', 'print the evaluation as JSON');
  withDatabase(withAcknowledgement(withProfileName(evaluate)), io).action(
    (modelPath, paths, flags) => runEvaluate(modelPath, paths, flags, io),
  );
}

async function runEvaluate(
  modelPath: string,
  paths: readonly string[],
  flags: EvaluateFlags,
  io: Io,
): Promise<void> {
  refuseUnwritable('--out', flags.out);
  const { readModel } = await import('../node/files/model-file.ts');
  const model = await readModel(modelPath);
  if (paths.every(looksLikeJson)) return addUp(model, paths, flags, io);
  if (paths.length > 1) {
    throw new UsageError(
      'rows are counted one file at a time',
      'count each with --out, then give the files of counts',
    );
  }
  return release(model, paths[0], flags, io);
}

/** Counts the rows of a file, shows what the counts tell, asks, and writes them with a line in the ledger. */
async function release(
  model: ModelFile,
  path: string,
  flags: EvaluateFlags,
  io: Io,
): Promise<void> {
  const { acknowledged, disclosure } = disclosureChoices(flags);
  if (flags.dryRun !== true && flags.yes !== true) requireTerminal(io);
  const { openSiteFolder, siteFolder } = await import('../node/site/site-folder.ts');
  const { refuseDoubtfulLedger } = await import('../site/site-store.ts');
  const home = await openSiteFolder(siteFolder(flags.home, io), noticeOn(io));
  await refuseDoubtfulLedger(home);
  io.stderr.write(modelText(model));
  const { prepareCounts } = await import('../node/run/prepare-counts.ts');
  const { createPool } = await import('../node/compute/pool.ts');
  const pool = createPool();
  const request = {
    model,
    name: flags.site ?? siteNameOf(path),
    file: { path },
    extrapolate: flags.extrapolate === true,
    own: disclosure === undefined ? [] : [disclosure],
    ...(flags.bins === undefined ? {} : { bins: wholeNumber('--bins', flags.bins) }),
    ...defined({ encoding: flags.encoding, site: flags.site }),
  };
  const prepared = await prepareCounts(request, home, pool, watcher(true, io)).finally(() =>
    pool.close(),
  );
  const { counts, dropped, audit, text } = prepared;
  await show(prepared, io);
  if (flags.dryRun === true) {
    io.stderr.write('\nnothing was written (--dry-run)\n');
    return;
  }
  const { refuseAudit, refuseUnacknowledged, unacknowledged } = await import(
    '../site/prepare-contribution.ts'
  );
  const kept = 'nothing was written';
  refuseAudit(prepared, kept);
  const warnings = unacknowledged(prepared, acknowledged);
  if (flags.yes === true) refuseUnacknowledged(warnings, audit, kept);
  else if (!(await askYesNo(questionOf(warnings), io))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; nothing was written',
      'run the command again when you are ready',
    );
  }
  const to = flags.out === undefined ? 'stdout' : resolve(flags.out);
  const line = { at: new Date().toISOString(), to, outcome: 'written' as const };
  await home.record({ ...line, ...prepared.release }, prepared.tags, prepared.reviewed, prepared); // first: what is written has left
  if (flags.out !== undefined) writeFileSync(flags.out, text);
  else io.stdout.write(text);
  io.stderr.write(countedText(counts, dropped, flags.out));
}

/** What anyone who gets the counts can work out, and what the rules say. */
async function show({ counts, audit }: PreparedCounts, io: Io): Promise<void> {
  const { evaluation } = await import('../analysis/evaluation.ts');
  const { evaluationText } = await import('../analysis/evaluation-text.ts');
  const { auditText } = await import('../site/audit-text.ts');
  const result = evaluation([counts]);
  const ink = inkFor(io, io.stderr);
  if (!('problem' in result)) io.stderr.write(visibleLines(`\n${evaluationText(result, ink)}`));
  io.stderr.write(`\n${auditText(audit, ink)}`);
}

function questionOf(warnings: readonly string[]): string {
  const question = 'Write these counts, to give them away?';
  return warnings.length === 0
    ? question
    : `The audit warns of ${warnings.join(', ')}, as shown above. ${question}`;
}

async function addUp(
  model: ModelFile,
  paths: readonly string[],
  flags: EvaluateFlags,
  io: Io,
): Promise<void> {
  const { readCounts } = await import('../node/run/evaluate.ts');
  const { evaluation } = await import('../analysis/evaluation.ts');
  const { evaluationText } = await import('../analysis/evaluation-text.ts');
  const result = evaluation(paths.map((path) => readCounts(path, model)));
  if ('problem' in result)
    throw new Refusal('conflict', result.problem, result.remedy, result.option);
  io.stdout.write(
    flags.json === true
      ? `${visibleJson(finiteJson(result))}\n`
      : visibleLines(`\n${evaluationText(result, inkFor(io))}`),
  );
}

/** What is counted, and who vouches for the model. */
function modelText({ study, key }: ModelFile): string {
  const signed =
    key === undefined
      ? 'nobody has signed the model: know where it is from before you give the counts away'
      : `signed by ${key}`;
  return `counting by the model ${visibleText(studyTitle(study))}\n${signed}\n`;
}

/** Counts come as a JSON object; no table begins with a brace. */
function looksLikeJson(path: string): boolean {
  const descriptor = openSync(path, 'r');
  try {
    const head = new Uint8Array(64);
    const read = readSync(descriptor, head, 0, head.length, 0);
    return new TextDecoder().decode(head.subarray(0, read)).trimStart().startsWith('{');
  } finally {
    closeSync(descriptor);
  }
}

function countedText(
  { n, bins, smallest, merged }: SiteCounts,
  dropped: number,
  out: string | undefined,
): string {
  return [
    `${n} rows counted in ${bins} bins, no row shown${out === undefined ? '' : ` → ${out}`}`,
    ...(dropped > 0 ? [`${dropped} left out for a missing cell`] : []),
    ...(merged ? [`counts from 1 to ${smallest - 1} were put with their neighbours`] : []),
    '',
  ].join('\n');
}
