import type { Command } from 'commander';
import type { ZodError } from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { weakerThan } from '../disclosure/profile.ts';
import { type Agreement, agreement, codebookIn } from '../federate.ts';
import { readJson } from '../node/files/json-file.ts';
import { type TriedFile, type TriedReading, tryFile } from '../node/run/try-file.ts';
import { tryParty } from '../node/run/try-party.ts';
import { fedAvgLines, parametersOf } from '../protocol/communication.ts';
import { studyForecast } from '../site/forecast-text.ts';
import { wrapped } from '../site/wrapped.ts';
import { adjustedText } from '../statistic/adjusted-text.ts';
import { sentBytes } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import { FormulaError } from '../study/formula.ts';
import { HIDDEN_REMEDY, hiddenCharacters } from '../study/hidden-characters.ts';
import { isImageStudy } from '../study/image-study.ts';
import { type Study, studyDigest, type TableStudy } from '../study/study.ts';
import { studyTitle } from '../study/study-title.ts';
import { publishedNotes, twinNotes } from '../table/level-notes.ts';
import { byteText } from '../text/number-text.ts';
import { visibleJson, visibleLines } from '../text/visible-text.ts';
import { withDatabase } from './database-flags.ts';
import { decimalFlag, watcher } from './flags.ts';
import { CommandEnd, exitCode, type Io, pathIn } from './io.ts';
import { withFlags } from './option-text.ts';
import { inkFor } from './terminal-text.ts';

/** What is wrong with a study, where, and what to do. */
interface StudyProblem {
  readonly key: string;
  readonly problem: string;
  readonly remedy: string;
}

interface CheckFlags extends TriedReading {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `suffice study check` and `suffice study digest`. */
export function addStudyCheck(study: Command, io: Io): void {
  const asPath = pathIn(io);
  const check = study
    .command('check')
    .description('say what a study asks for and what is wrong with it; nothing is sent')
    .argument('<study>', 'JSON file of the study', asPath)
    .argument('[file]', 'a table to try: would it be accepted?', asPath)
    .option('--encoding <name>', 'encoding of a text file, such as latin1')
    .addOption(decimalFlag())
    .option('--json', 'print JSON')
    .option('--quiet', 'no progress bar');
  withDatabase(check, io).action((path, table, flags) => runCheck(path, table, flags, io));
  study
    .command('digest')
    .description('print the digest a study is known by')
    .argument('<study>', 'JSON file of the study')
    .action(async (path: string) => {
      const { readStudy } = await import('../node/files/json-file.ts');
      io.stdout.write(`${studyDigest(await readStudy(path))}\n`);
    });
}

async function runCheck(
  path: string,
  table: string | undefined,
  flags: CheckFlags,
  io: Io,
): Promise<void> {
  const checked = await checkStudy(readJson(path));
  if ('problems' in checked) {
    io.stdout.write(
      flags.json === true
        ? `${visibleJson(JSON.stringify({ schema: SCHEMA, ok: false, ...checked }, null, 2))}\n`
        : checked.problems
            .map(({ key, problem, remedy }) => visibleLines(`${key}: ${problem}\n  → ${remedy}\n`))
            .join(''),
    );
    throw new CommandEnd(exitCode.invalidData);
  }
  const plan = planOf(checked.study);
  const tried = plan.parties === undefined ? tryFile : tryParty;
  const file =
    table === undefined
      ? undefined
      : await tried(checked.study, table, flags, watcher(flags.quiet === true, io));
  if (flags.json === true) {
    const ok = file?.refused === undefined;
    const answer = {
      schema: SCHEMA,
      ok,
      ...plan,
      ...(file === undefined ? {} : { file: publicFile(file) }),
    };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
  } else {
    const said = file === undefined ? '' : fileText(file);
    io.stdout.write(visibleLines(`${await planText(plan, checked.study, io)}${said}`));
  }
  if (file?.refused !== undefined) throw new CommandEnd(exitCode.invalidData);
}

const SCHEMA = 'suffice/study-check@1';

async function checkStudy(
  json: unknown,
): Promise<{ readonly study: Study } | { readonly problems: readonly StudyProblem[] }> {
  const { parseStudy } = await import('../fusion/study-schema.ts');
  let study: Study;
  try {
    study = parseStudy(json);
  } catch (failure) {
    const { issues } = failure as ZodError;
    return {
      problems: issues.map((issue) => ({
        key: issue.path.join('.') || 'study',
        problem: issue.message,
        remedy: remedyOf(issue),
      })),
    };
  }
  const hidden = hiddenCharacters(study);
  if (hidden.length > 0) {
    return {
      problems: hidden.map(({ path, problem }) => ({
        key: path.join('.'),
        problem,
        remedy: HIDDEN_REMEDY,
      })),
    };
  }
  try {
    agreement(study);
    return { study };
  } catch (failure) {
    if (failure instanceof FormulaError) {
      return { problems: [{ key: 'formula', problem: failure.message, remedy: failure.remedy }] };
    }
    if (failure instanceof DataError) {
      const { column } = failure.place;
      const key = column === undefined ? 'codebook' : `codebook.${column}`;
      return { problems: [{ key, problem: failure.problem, remedy: failure.remedy }] };
    }
    throw failure;
  }
}

function remedyOf(issue: ZodError['issues'][number]): string {
  if (issue.code === 'unrecognized_keys') return `remove ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_value') return `write one of ${issue.values.join(', ')}`;
  return 'correct it in the file; suffice study init drafts a study to compare with';
}

/** What a study would ask of every site. */
function planOf(study: Study) {
  const agreed = agreement(study);
  const { layout, digest, columns } = agreed;
  const { columnsAt } = agreed.aggregation;
  const numbers = entriesOf(layout);
  const { regression, text } = agreed.method;
  const sums = regression?.layout;
  const parameters = parametersOf(layout);
  return {
    study: digest,
    ...defined({ name: study.name }),
    formula: studyTitle(study),
    columns: columns.map(({ name, column }) => ({ name, ...column })),
    ...(columnsAt && { parties: columnsAt.parties, key: columnsAt.passes }),
    responses: sums?.columns.slice(-sums.responses) ?? [],
    terms: sums?.columns.slice(sums.intercept ? 0 : 1, -sums.responses) ?? [],
    numbers,
    bytes: sentBytes(layout),
    ...featureOf(agreed),
    ...defined({ parameters }),
    fedAvg: columnsAt === undefined ? fedAvgLines(parameters) : [],
    forecast: (studyForecast(agreed, study.quorum?.sites ?? 1)?.remarks ?? []).map(
      ({ text, option }) => withFlags(text, option),
    ),
    ...(study.disclosure === undefined ? {} : { deviations: weakerThan(study.disclosure) }),
    hints: [...hintsOf(agreed), ...levelHints(agreed), ...(text.notes ?? [])],
  };
}

/** What a site would send without the feature map. */
function bytesWithout({ features: _, ...plain }: TableStudy): number {
  const { layout } = agreement(plain);
  return sentBytes(layout);
}

/** The study's feature map under its kind, and what it spares each site. */
function featureOf({ method: { regression } }: Agreement) {
  if (regression === undefined) return {};
  const { study, design } = regression;
  const { mapped } = design;
  if (mapped === undefined) return {};
  const { kind, ...terms } = mapped.terms;
  const facts = {
    ...terms,
    columns: mapped.columns.length,
    bytesWithout: bytesWithout(study),
  };
  return { [kind]: facts };
}

function featureText({ method: { regression } }: Agreement): string[] {
  if (regression === undefined) return [];
  const { study, design } = regression;
  const { mapped } = design;
  if (mapped === undefined) return [];
  const { map, terms } = mapped;
  const columns = mapped.columns.length;
  const note = map.note?.(terms, columns);
  return [
    `${map.kind.padEnd(12)}${columns} columns to ${map.width(terms, columns)} (${map.choices(terms)}); without it ${byteText(bytesWithout(study))}`,
    ...(note === undefined ? [] : wrapped('            ', note)),
  ];
}

function hintsOf(agreed: Agreement): string[] {
  const { study, columns, aggregation } = agreed;
  const bare = columns.filter(
    ({ column }) =>
      column.type === 'number' && column.unit === undefined && !isImageStudy(agreed.study),
  );
  const used = new Set(columns.map(({ name }) => name));
  const idle = Object.keys(codebookIn(agreed)).filter((name) => !used.has(name));
  return [
    ...(bare.length === 0
      ? []
      : [`no unit is stated for ${bare.map(({ name }) => name).join(', ')}: "unit": "mm"`]),
    ...(idle.length === 0 ? [] : [`the formula does not use ${idle.join(', ')}`]),
    ...(study.quorum?.sites === undefined && aggregation.columnsAt === undefined
      ? ['one site is enough to resolve: "quorum": { "sites": 3 } asks for more']
      : []),
  ];
}

function levelHints(agreed: Agreement): string[] {
  const codebook = codebookIn(agreed);
  return [...publishedNotes(codebook), ...twinNotes(codebook)].map(({ text }) => text);
}

async function planText(plan: ReturnType<typeof planOf>, study: Study, io: Io): Promise<string> {
  const { studyTermsText } = await import('../site/study-text.ts');
  const { partiesText } = await import('../site/parties-text.ts');
  const agreed = agreement(study);
  const ink = inkFor(io);
  return [
    studyTermsText(agreed, ink, partiesText(agreed)),
    ...(plan.terms.length === 0
      ? []
      : [
          `explains    ${plan.responses.join(', ')}`,
          `by          ${termsText(plan.terms, study)}`,
        ]),
    plan.parties === undefined
      ? `each site   sends ${plan.numbers} numbers once, ${byteText(plan.bytes)} and a header`
      : `each party  sends a share of ${plan.numbers} numbers, ${byteText(plan.bytes)} and a header, after the messages to link and multiply`,
    ...featureText(agreed),
    ...plan.fedAvg.map(
      ({ rounds, up, down }) =>
        `FedAvg      would send ${byteText(up)} up and ${byteText(down)} down in ${rounds} rounds`,
    ),
    ...plan.forecast.map((words, k) => `${k === 0 ? 'noise       ' : '            '}${words}`),
    ...(plan.deviations ?? []).map(
      (line, k) => `${k === 0 ? 'rules       ' : '            '}${line}`,
    ),
    ...plan.hints.flatMap((hint) => wrapped('note        ', hint).map(ink.faint)),
    '',
  ].join('\n');
}

/** The terms by name; of images only how many. */
function termsText(terms: readonly string[], study: Study): string {
  return isImageStudy(study) ? `${terms.length} columns of its images` : terms.join(', ');
}

/** A tried file as `--json` prints it: the remedy without flags. */
function publicFile({ refused, ...counts }: TriedFile): TriedFile {
  if (refused === undefined) return counts;
  const { problem, remedy } = refused;
  return { ...counts, refused: { problem, remedy } };
}

function fileText(file: TriedFile): string {
  if (file.refused !== undefined) {
    return `\nthe file would be refused: ${file.refused.problem}\n  → ${withFlags(file.refused.remedy, file.refused.option)}\n`;
  }
  const lost = Object.entries(file.missing).map(([column, count]) => `${column} ${count}`);
  return [
    `\nthe file would be accepted${file.party === undefined ? '' : ` from ${file.party}`}: ${file.rows} rows, ${file.dropped} dropped`,
    ...(lost.length === 0 ? [] : [` (missing cells: ${lost.join(', ')})`]),
    ...adjustedText(file).map((line) => `\n  ${line}`),
    '\n',
  ].join('');
}
