import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { EvaluationCounts } from '../analysis/evaluation-counts.ts';
import { defined } from '../defined.ts';
import { finiteJson } from '../model/report.ts';
import type { ModelFile } from '../node/files/model-file.ts';
import { Refusal } from '../protocol/refusal.ts';
import { visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type DisclosureFlags, ownRules, withProfileName } from './disclosure-flags.ts';
import { refuseUnwritable, wholeNumber } from './flags.ts';
import { type Io, pathIn, pathsIn } from './io.ts';
import { inkFor } from './terminal-text.ts';

interface EvaluateFlags {
  readonly out?: string;
  readonly bins?: string;
  readonly site?: string;
  readonly extrapolate?: boolean;
  readonly encoding?: string;
  readonly json?: boolean;
  readonly profile?: DisclosureFlags['profile'];
  readonly home?: string;
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
    .option('--home <folder>', 'folder of this site with its rules (SUFFICE_HOME, ~/.suffice)')
    .option('--json', 'print the evaluation as JSON');
  withProfileName(evaluate).action((modelPath, paths, flags) =>
    runEvaluate(modelPath, paths, flags, io),
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
  const { countFile } = await import('../node/run/evaluate.ts');
  const { readSiteRules } = await import('../node/site/site-rules-file.ts');
  const { siteFolder } = await import('../node/site/site-folder.ts');
  const kept = await readSiteRules(join(siteFolder(flags.home, io), 'rules.json'));
  io.stderr.write(modelText(model));
  const { counts, dropped } = await countFile({
    model,
    file: { path: paths[0] },
    extrapolate: flags.extrapolate === true,
    own: [kept, ownRules(defined({ profile: flags.profile })).disclosure].flatMap(
      (rules) => rules ?? [],
    ),
    ...(flags.bins === undefined ? {} : { bins: wholeNumber('--bins', flags.bins) }),
    ...defined({ encoding: flags.encoding, site: flags.site }),
  });
  const text = `${JSON.stringify(counts, null, 2)}\n`;
  if (flags.out !== undefined) writeFileSync(flags.out, text);
  else io.stdout.write(text);
  io.stderr.write(countedText(counts, dropped, flags.out));
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
    flags.json === true ? `${finiteJson(result)}\n` : `\n${evaluationText(result, inkFor(io))}`,
  );
}

/** What is counted, and who vouches for the model. */
function modelText({ study: { formula }, key }: ModelFile): string {
  const signed =
    key === undefined
      ? 'nobody has signed the model: know where it is from before you give the counts away'
      : `signed by ${key}`;
  return `counting by the model ${visibleText(formula)}\n${signed}\n`;
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
  { n, bins, smallest, merged }: EvaluationCounts,
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
