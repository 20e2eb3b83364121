import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Question } from '../analysis/question.ts';
import { defined } from '../defined.ts';
import { agreement, codebookIn, regressionOf } from '../federate.ts';
import { questionsTo } from '../fusion/fusions.ts';
import type { Report } from '../model/report.ts';
import { createPool } from '../node/compute/pool.ts';
import { readCodebook, readStudy } from '../node/files/json-file.ts';
import type { SavedModel } from '../node/files/model-file.ts';
import type { RefusedReading } from '../node/run/explain-refused.ts';
import { type FitOutcome, type FitRequest, fitFiles, fitStudy, planOf } from '../node/run/fit.ts';
import type { Pool } from '../rows/pool.ts';
import { prepareFit } from '../rows/prepare-fit.ts';
import { sentBytes } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import type { Grid } from '../statistic/linear-layout.ts';
import type { Codebook } from '../study/codebook.ts';
import { formulaColumns, parseFormula } from '../study/formula.ts';
import type { Study } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import { finiteJson } from '../text/finite-json.ts';
import { byteText } from '../text/number-text.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { featuresOf } from './feature-flags.ts';
import { type FitFlags, withFitFlags } from './fit-flags.ts';
import { refuseGrid, refuseUnwritable, watcher, wholeNumber } from './flags.ts';
import { type Io, pathIn, pathsIn } from './io.ts';
import { fusionOf, misplaced } from './method-flags.ts';
import { partyFiles } from './party-flags.ts';
import { printResult } from './print-result.ts';
import { privacyOfFlags } from './privacy-flags.ts';
import { answersToPrint, questionsOf } from './question-flags.ts';
import { spareQuestions } from './spare-questions.ts';
import { inkFor } from './terminal-text.ts';

/** `suffice fit`: one model over several files, each a site, as if their rows were pooled. */
export function addFitCommand(program: Command, io: Io): void {
  const fit = program
    .command('fit')
    .description(
      'fit one model over several files, each a site, exactly as if their rows were pooled',
    )
    .argument(
      '<formula>',
      'R formula, such as "y ~ x + factor(group)"; or a study’s JSON file, fitted as its coordinator would',
    )
    .argument(
      '[file...]',
      'CSV or Parquet files, tables of databases, or images, one a site',
      pathsIn(io),
    );
  withFitFlags(fit, io).action(
    (formula: string, paths: string[], flags: FitFlags, command: Command) => {
      refuseNoFiles(formula, paths, flags);
      return isStudyFile(formula)
        ? runStudy(formula, paths, flags, command, io)
        : runFit(formula, paths, flags, io);
    },
  );
}

/** Files are the sites' or the parties', and one of the two. */
function refuseNoFiles(formula: string, paths: readonly string[], { party }: FitFlags): void {
  if (party.length === 0 && paths.length === 0) {
    throw new UsageError("missing required argument 'file'", 'name the files, one a site');
  }
  if (party.length === 0) return;
  if (paths.length === 0 && isStudyFile(formula)) return;
  throw new UsageError(
    '--party gives the files of a study with a partition',
    'give the study’s JSON file, and each file as --party NAME=FILE',
  );
}

function isStudyFile(formula: string): boolean {
  return formula.endsWith('.json') && !formula.includes('~');
}

/** Flags that go with a study; the study itself fixes all others. */
const leftOpen = new Set(
  (
    'saveModel showCodebook saveCodebook missing missingMarker encoding decimal threads force dryRun json quiet ' +
    'show drop contrast trend at level passwordFile pushdown party'
  ).split(' '),
);

/** Fits a study over local files: its coordinator must get the same result. */
async function runStudy(
  path: string,
  paths: readonly string[],
  flags: FitFlags,
  command: Command,
  io: Io,
): Promise<void> {
  const fixed = command.options.find((option) => {
    const name = option.attributeName();
    return command.getOptionValueSource(name) === 'cli' && !leftOpen.has(name);
  });
  if (fixed !== undefined) {
    throw new UsageError(
      `the study already fixes ${fixed.long}`,
      `leave it out, or give the formula in place of ${path}`,
    );
  }
  refuseUnwritable('--save-model', flags.saveModel);
  refuseUnwritable('--save-codebook', flags.saveCodebook);
  const study = await readStudy(pathIn(io)(path));
  refuseQuestions(study, flags);
  if (flags.dryRun === true) return showDryRun(study, flags, io);
  const { missing, encoding, decimal } = flags;
  const choices = {
    missing,
    questions: questionsOf(flags),
    spareQuestions: spareQuestions(flags, agreement(study).method.regression?.study),
    ...(flags.force === true ? { force: true } : {}),
    ...defined({ encoding, decimal }),
    missingMarkers: flags.missingMarker,
    ...(flags.threads === undefined ? {} : { threads: wholeNumber('--threads', flags.threads) }),
  };
  const watch = watcher(flags.quiet === true, io);
  if (flags.party.length > 0) {
    const { fitParties } = await import('../node/run/fit-parties.ts');
    const files = partyFiles(flags.party, pathIn(io));
    return showOutcome(await fitParties(study, files, watch, choices), flags, io);
  }
  const read = { ...defined({ encoding, decimal }), studyOf: async () => study };
  const fit = () => fitStudy(study, paths, watch, choices);
  await showOutcome(await explaining(fit, read, flags, io), flags, io);
}

async function runFit(
  formula: string,
  paths: readonly string[],
  flags: FitFlags,
  io: Io,
): Promise<void> {
  const request = await fitRequest(formula, paths, flags);
  const watch = watcher(flags.quiet === true, io);
  if (flags.dryRun === true) {
    const pool = createPool(request.threads);
    const { study } = await prepareFit(planOf(request), pool, watch).finally(() => pool.close());
    return showDryRun(study, flags, io);
  }
  if (request.privacy !== undefined && request.codebook === undefined) {
    io.stderr.write(
      'the ranges are read off these very rows: this shows what noise does, and promises nothing.\n' +
        '  → for a promise give --codebook with ranges that are public\n',
    );
  }
  const { codebook } = request;
  const studyOf = async (pool: Pool) => (await prepareFit(planOf(request), pool, watch)).study;
  const read = { ...request, ...(codebook === undefined ? {} : { studyOf }) };
  await showOutcome(await explaining(() => fitFiles(request, watch), read, flags, io), flags, io);
}

/** Fits. Where a cell is refused, shows all cells that do not fit, unless silence or JSON is asked for. */
async function explaining(
  fit: () => Promise<FitOutcome>,
  read: RefusedReading,
  flags: FitFlags,
  io: Io,
): Promise<FitOutcome> {
  try {
    return await fit();
  } catch (failure) {
    if (flags.quiet === true || flags.json === true) throw failure;
    const { explainRefused } = await import('../node/run/explain-refused.ts');
    const explanation = await explainRefused(failure, read, watcher(false, io));
    if (explanation !== undefined) {
      const { explanationText } = await import('../site/explanation-text.ts');
      io.stderr.write(`${explanationText(explanation, inkFor(io, io.stderr))}\n`);
    }
    throw failure;
  }
}

function showDryRun(study: Study, flags: FitFlags, io: Io): void {
  shareCodebook(codebookIn(agreement(study)), flags, io);
  const plan = dryRun(study);
  io.stdout.write(
    flags.json === true ? `${visibleJson(JSON.stringify(plan, null, 2))}\n` : dryRunText(plan),
  );
}

async function showOutcome(
  { study, report, answers, notes = [] }: FitOutcome,
  flags: FitFlags,
  io: Io,
): Promise<void> {
  if (flags.quiet !== true) {
    const said = [...notes, ...mirrorNote(study, report)];
    for (const note of said) io.stderr.write(`${visibleText(note)}\n`);
  }
  shareCodebook(codebookIn(agreement(study)), flags, io);
  if (flags.saveModel !== undefined) {
    const kept = { report, answers: answersToPrint(answers, flags) };
    const model: SavedModel = { schema: 'suffice/model@1', study, ...kept };
    writeFileSync(flags.saveModel, `${visibleJson(finiteJson(model))}\n`);
    sayWritten('the model', flags.saveModel, flags, io);
  }
  const asked = new Set(questionsOf(flags).map(({ about }) => about));
  await printResult(
    study,
    report,
    answersToPrint(answers, flags).filter(({ about }) => asked.has(about as Question['about'])),
    flags,
    io,
  );
}

/** A hint where the two tables of a yes or no mirror each other. */
function mirrorNote(study: Study, { responses = [] }: Report): string[] {
  if (responses.length !== 2) return [];
  const { formula, codebook } = tableStudy(study);
  const [name, other] = formulaColumns(parseFormula(formula)).responses;
  if (other !== undefined || codebook[name]?.levels?.length !== 2) return [];
  return [
    `${name} has two levels, so the two tables mirror each other; --family binomial fits one logistic model`,
  ];
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
  refuseQuestions({ fusion, ...defined({ privacy }) }, flags);
  return {
    formula,
    paths,
    fusion,
    ...featuresOf(flags),
    ...defined({ privacy }),
    ...(flags.force === true ? { force: true } : {}),
    questions: questionsOf(flags),
    spareQuestions: spareQuestions(flags, featuresOf(flags)),
    ...(flags.rounds === undefined ? {} : { rounds: wholeNumber('--rounds', flags.rounds) }),
    ...(flags.gap === true ? { gap: true } : {}),
    arithmetic,
    missing,
    missingMarkers: flags.missingMarker,
    ...(flags.codebook === undefined ? {} : { codebook: await readCodebook(flags.codebook) }),
    ...defined({ siteColumn, weights, encoding, decimal }),
    ...(flags.grid === undefined ? {} : { grid: Number(flags.grid) as Grid }),
    ...(flags.threads === undefined ? {} : { threads: wholeNumber('--threads', flags.threads) }),
  };
}

/** Throws, before any file is read, when the study answers no questions. */
function refuseQuestions(terms: Pick<Study, 'fusion' | 'privacy'>, flags: FitFlags): void {
  const questions = questionsTo(terms);
  if (!('none' in questions) || questionsOf(flags).length === 0) return;
  throw new UsageError(
    questions.none.problem,
    'leave out --show, --drop, --contrast, --trend and --at',
  );
}

function shareCodebook(codebook: Codebook, flags: FitFlags, io: Io): void {
  const columns = Object.entries(codebook).map(
    ([name, column]) => `  ${JSON.stringify(name)}: ${JSON.stringify(column)}`,
  );
  const text = `{\n${columns.join(',\n')}\n}\n`;
  if (flags.saveCodebook !== undefined) {
    writeFileSync(flags.saveCodebook, text);
    sayWritten('the codebook', flags.saveCodebook, flags, io);
  }
  if (flags.showCodebook === true) (flags.json === true ? io.stderr : io.stdout).write(text);
}

function sayWritten(what: string, path: string, { quiet }: FitFlags, io: Io): void {
  if (quiet !== true) io.stderr.write(`${visibleText(`${what} → ${path}`)}\n`);
}

/** What a fit would compute and what each site would send. */
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
    bytes: sentBytes(layout),
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
