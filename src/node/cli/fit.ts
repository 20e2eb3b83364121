import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Question } from '../../analysis/question.ts';
import { namedTopics } from '../../analysis/topics.ts';
import { agreement, codebookIn, regressionOf } from '../../federate.ts';
import { questionsTo } from '../../fusion/fusions.ts';
import { finiteJson } from '../../model/report.ts';
import { prepareFit } from '../../rows/prepare-fit.ts';
import { bytesOf, entriesOf } from '../../statistic/layout.ts';
import type { Grid } from '../../statistic/linear-layout.ts';
import type { Codebook } from '../../study/codebook.ts';
import type { Study } from '../../study/study.ts';
import { tableStudy } from '../../study/table-study.ts';
import { readCodebook } from '../codebook-file.ts';
import { type FitOutcome, type FitRequest, fitFiles, fitStudy, planOf } from '../fit.ts';
import type { SavedModel } from '../model-file.ts';
import { createPool } from '../pool.ts';
import { byteText } from '../progress.ts';
import { readStudy } from '../study-file.ts';
import { UsageError } from '../usage-error.ts';
import { type FeatureFlags, featuresOf, withFeatureFlags } from './feature-flags.ts';
import { choice, collect, refuseGrid, watcher, wholeNumber } from './flags.ts';
import { type FamilyFlags, fusionOf, misplaced, withFamily } from './method-flags.ts';
import { printFindings } from './print-findings.ts';
import { type PrivacyFlags, privacyOfFlags, withPrivacy } from './privacy-flags.ts';
import { newsOf, type QuestionFlags, questionsOf, withQuestions } from './question-flags.ts';
import { refuseUnwritable } from './writable.ts';

interface FitFlags extends FamilyFlags, QuestionFlags, PrivacyFlags, FeatureFlags {
  readonly siteColumn?: string;
  readonly codebook?: string;
  readonly showCodebook?: boolean;
  readonly saveCodebook?: string;
  readonly saveModel?: string;
  readonly weights?: string;
  readonly arithmetic: 'exact' | 'compact';
  readonly grid?: string;
  readonly rounds?: string;
  readonly gap?: boolean;
  readonly missing: 'drop' | 'refuse';
  readonly missingMarker: readonly string[];
  readonly encoding?: string;
  readonly decimal: '.' | ',';
  readonly threads?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice fit`: one model over several files, each a site, as if their rows were pooled. */
export function addFitCommand(program: Command): void {
  const fit = program
    .command('fit')
    .description(
      'fit one model over several files, each a site, exactly as if their rows were pooled',
    )
    .argument(
      '<formula>',
      'R formula, such as "y ~ x + factor(group)"; or a study’s JSON file, fitted as its coordinator would',
    )
    .argument('<file...>', 'CSV or Parquet files, one a site')
    .option(
      '--site-column <column>',
      'the column that names each row’s site, instead of one site a file',
    )
    .option('--codebook <file>', 'JSON codebook; drafted from all files together when absent')
    .option('--show-codebook', 'print the codebook')
    .option('--save-codebook <file>', 'write the codebook')
    .option(
      '--save-model <file>',
      'write study, report and answers, for suffice predict and suffice export',
    )
    .option('--weights <column>', 'weights of the rows')
    .addOption(choice('--arithmetic <kind>', 'how the statistic is held', ['exact', 'compact']))
    .addOption(
      new Option(
        '--grid <bits>',
        'bits of the exact grid; finer by itself when digits run short',
      ).choices(['44', '66', '88']),
    )
    .option(
      '--rounds <n>',
      'with --family: rounds; each after the first is one Newton step (default: 1)',
    )
    .option('--gap', 'with --family: measure how far the model is from the pooled one')
    .addOption(choice('--missing <rule>', 'rows with missing cells', ['drop', 'refuse']))
    .option('--missing-marker <text>', 'one more text that means missing (repeatable)', collect, [])
    .option('--encoding <name>', 'encoding of the text files, such as latin1')
    .addOption(choice('--decimal <mark>', 'decimal mark while drafting', ['.', ',']))
    .option('--threads <n>', 'threads to read with')
    .option('--force', 'with --epsilon: fit although noise would drown the answer')
    .option('--dry-run', 'show what would be computed; reduce nothing')
    .option('--json', 'print the report as JSON')
    .option('--quiet', 'no progress bar');
  withQuestions(withPrivacy(withFeatureFlags(withFamily(fit)))).action(
    (formula: string, paths: string[], flags: FitFlags, command: Command) =>
      isStudyFile(formula)
        ? runStudy(formula, paths, flags, command)
        : runFit(formula, paths, flags),
  );
}

function isStudyFile(formula: string): boolean {
  return formula.endsWith('.json') && !formula.includes('~');
}

/** What a study leaves open; all other flags are questions that it has answered. */
const leftOpen = new Set(
  (
    'saveModel showCodebook saveCodebook missing encoding threads force dryRun json quiet ' +
    'show drop contrast trend at level'
  ).split(' '),
);

/** A study over files that are at hand: what its coordinator must arrive at. */
async function runStudy(
  path: string,
  paths: readonly string[],
  flags: FitFlags,
  command: Command,
): Promise<void> {
  const settled = command.options.find((option) => {
    const name = option.attributeName();
    return command.getOptionValueSource(name) === 'cli' && !leftOpen.has(name);
  });
  if (settled !== undefined) {
    throw new UsageError(
      `the study settles what ${settled.long} would`,
      `leave it out, or give the formula in place of ${path}`,
    );
  }
  refuseUnwritable('--save-model', flags.saveModel);
  refuseUnwritable('--save-codebook', flags.saveCodebook);
  const study = await readStudy(path);
  refuseQuestions(study, flags);
  if (flags.dryRun === true) return showDryRun(study, flags);
  const { missing, encoding } = flags;
  const outcome = await fitStudy(study, paths, watcher(flags.quiet === true), {
    missing,
    questions: questionsFor(flags),
    ...(flags.force === true ? { force: true } : {}),
    ...(encoding === undefined ? {} : { encoding }),
    ...(flags.threads === undefined ? {} : { threads: wholeNumber('--threads', flags.threads) }),
  });
  await showOutcome(outcome, flags);
}

async function runFit(formula: string, paths: readonly string[], flags: FitFlags): Promise<void> {
  const request = await fitRequest(formula, paths, flags);
  const watch = watcher(flags.quiet === true);
  if (flags.dryRun === true) {
    const pool = createPool(request.threads);
    const { study } = await prepareFit(planOf(request), pool, watch).finally(() => pool.close());
    return showDryRun(study, flags);
  }
  if (request.privacy !== undefined && request.codebook === undefined) {
    process.stderr.write(
      'the ranges are read off these very rows: this shows what noise does, and promises nothing.\n' +
        '  → for a promise give --codebook with ranges that are public\n',
    );
  }
  await showOutcome(await fitFiles(request, watch), flags);
}

function showDryRun(study: Study, flags: FitFlags): void {
  shareCodebook(codebookIn(agreement(study)), flags);
  const plan = dryRun(study);
  process.stdout.write(
    flags.json === true ? `${JSON.stringify(plan, null, 2)}\n` : dryRunText(plan),
  );
}

async function showOutcome({ study, report, answers }: FitOutcome, flags: FitFlags): Promise<void> {
  shareCodebook(codebookIn(agreement(study)), flags);
  if (flags.saveModel !== undefined) {
    const kept = { report, answers: newsOf(answers, flags) };
    const model: SavedModel = { schema: 'suffice/model@1', study: tableStudy(study), ...kept };
    writeFileSync(flags.saveModel, `${finiteJson(model)}\n`);
  }
  const asked = new Set(questionsOf(flags).map(({ about }) => about));
  await printFindings(
    report,
    newsOf(answers, flags).filter(({ about }) => asked.has(about as Question['about'])),
    flags,
  );
}

async function fitRequest(
  formula: string,
  paths: readonly string[],
  flags: FitFlags,
): Promise<FitRequest> {
  const { siteColumn, weights, arithmetic, missing, encoding, decimal } = flags;
  refuseGrid(flags);
  refuseUnwritable('--save-model', flags.saveModel);
  refuseUnwritable('--save-codebook', flags.saveCodebook);
  const fusion = fusionOf(flags);
  if (flags.family === undefined || flags.family === 'gaussian') {
    const home = '--family binomial or --family poisson';
    if (flags.rounds !== undefined) throw misplaced('--rounds', home);
    if (flags.gap === true) throw misplaced('--gap', home);
  }
  const privacy = privacyOfFlags(flags);
  refuseQuestions({ fusion, ...(privacy === undefined ? {} : { privacy }) }, flags);
  return {
    formula,
    paths,
    fusion,
    ...featuresOf(flags),
    ...(privacy === undefined ? {} : { privacy }),
    ...(flags.force === true ? { force: true } : {}),
    questions: questionsFor(flags),
    ...(flags.rounds === undefined ? {} : { rounds: wholeNumber('--rounds', flags.rounds) }),
    ...(flags.gap === true ? { gap: true } : {}),
    arithmetic,
    missing,
    decimal,
    missingMarkers: flags.missingMarker,
    ...(flags.codebook === undefined ? {} : { codebook: await readCodebook(flags.codebook) }),
    ...(siteColumn === undefined ? {} : { siteColumn }),
    ...(weights === undefined ? {} : { weights }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(flags.grid === undefined ? {} : { grid: Number(flags.grid) as Grid }),
    ...(flags.threads === undefined ? {} : { threads: wholeNumber('--threads', flags.threads) }),
  };
}

/** Refuses questions before anything is read where the report is all there is. */
function refuseQuestions(terms: Pick<Study, 'fusion' | 'privacy'>, flags: FitFlags): void {
  const questions = questionsTo(terms);
  if (!('none' in questions) || questionsOf(flags).length === 0) return;
  throw new UsageError(
    questions.none.problem,
    'leave out --show, --drop, --contrast, --trend and --at',
  );
}

/** What was asked; and of a model that is kept, everything that can be shown of it later. */
function questionsFor(flags: FitFlags): Question[] {
  const asked = questionsOf(flags);
  if (flags.saveModel === undefined) return asked;
  const named = new Set(asked.map(({ about }) => about));
  const rest = namedTopics.filter((about) => !named.has(about));
  return [...asked, ...rest.map((about): Question => ({ about }))];
}

function shareCodebook(codebook: Codebook, flags: FitFlags): void {
  const columns = Object.entries(codebook).map(
    ([name, column]) => `  ${JSON.stringify(name)}: ${JSON.stringify(column)}`,
  );
  const text = `{\n${columns.join(',\n')}\n}\n`;
  if (flags.saveCodebook !== undefined) writeFileSync(flags.saveCodebook, text);
  if (flags.showCodebook === true)
    (flags.json === true ? process.stderr : process.stdout).write(text);
}

/** What a fit over these files would compute and what each site would send. */
function dryRun(study: Study) {
  const agreed = agreement(study);
  const { layout, digest } = agreed;
  const { study: table, layout: sums } = regressionOf(agreed);
  const { columns, responses, intercept } = sums;
  const numbers = entriesOf(layout);
  return {
    schema: 'suffice/dry-run@1',
    formula: table.formula,
    responses: columns.slice(-responses),
    terms: columns.slice(intercept ? 0 : 1, -responses),
    numbers,
    bytes: bytesOf(layout),
    study: digest,
  };
}

function dryRunText({
  formula,
  responses,
  terms,
  numbers,
  bytes,
  study,
}: ReturnType<typeof dryRun>) {
  return [
    formula,
    `explains    ${responses.join(', ')}`,
    `by          ${terms.join(', ')}`,
    `each site   ${numbers} numbers, ${byteText(bytes)}`,
    `study       ${study}`,
    'nothing was reduced (--dry-run)',
    '',
  ].join('\n');
}
