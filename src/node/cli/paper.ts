import type { Command } from 'commander';
import { finiteJson } from '../../model/report.ts';
import {
  loadPaperProgram,
  type PaperEntry,
  type PaperName,
  type PaperProgram,
  type PaperWanted,
} from '../paper-program.ts';
import { shareProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';
import { collect } from './flags.ts';
import { inkFor } from './ink.ts';
import { paperConditions } from './paper-conditions.ts';
import { filesOf, type PaperFiles, refuseForeignFiles, writeResult } from './paper-files.ts';
import { paperList, plannedWords } from './paper-words.ts';
import { splitList } from './split-list.ts';

interface PaperFlags {
  readonly experiment: readonly string[];
  readonly law?: string;
  readonly quick?: boolean;
  readonly trials?: string;
  readonly sites?: string;
  readonly rows?: string;
  readonly features?: string;
  readonly heterogeneity?: string;
  readonly ridge?: string;
  readonly seed?: string;
  readonly runs?: string;
  readonly nodes?: string;
  readonly dimension?: string;
  readonly out?: string;
  readonly list?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const DEFAULT_FOLDER = 'paper-results';

/** Flags that only one of the papers has. */
const ownFlags: Readonly<Record<PaperName, readonly (keyof PaperFlags)[]>> = {
  ridge: ['trials', 'sites', 'rows', 'features', 'heterogeneity', 'ridge'],
  fesc: ['law', 'runs', 'nodes', 'dimension'],
};

/** `suffice paper`: the papers' tables and figures, measured here. */
export function addPaperCommand(program: Command): void {
  program
    .command('paper')
    .description("the papers' tables and figures, measured here beside the printed ones")
    .argument('[paper]', 'ridge or fesc')
    .option('--experiment <id>', 'only this one (repeatable)', collect, [])
    .option('--trials <n>', 'of ridge: data sets that each value is measured on')
    .option('--sites <K>', 'of ridge: sites')
    .option('--rows <n>', 'of ridge: rows of a site, a fifth of them held out')
    .option('--features <d>', 'of ridge: features')
    .option('--heterogeneity <gamma>', 'of ridge: how far apart the sites are, 0 to 1')
    .option('--ridge <sigma>', 'of ridge: what is added to the diagonal')
    .option('--law <name>', 'of fesc: the law of sample sizes; alone it means --experiment mse')
    .option('--runs <n>', 'of fesc: Monte-Carlo runs')
    .option('--nodes <m>', 'of fesc: nodes')
    .option('--dimension <d>', 'of fesc: features')
    .option('--seed <n>', 'of the random numbers')
    .option('--quick', 'small versions of all, to look at')
    .option('--list', 'the experiments and laws there are')
    .option('--dry-run', 'what would run, where it would go and about how long it takes')
    .option('--out <folder>', `for the page and its JSON (default: "${DEFAULT_FOLDER}")`)
    .option('--json', 'print the result as JSON, and write files only with --out')
    .option('--quiet', 'no progress bar')
    .action((paper: string | undefined, flags: PaperFlags) => runCommand(paper, flags));
}

async function runCommand(name: string | undefined, flags: PaperFlags): Promise<void> {
  if (flags.list === true) return print(paperList(await loadPaperProgram()), flags);
  const paper = paperNamed(name);
  const program = await loadPaperProgram();
  const wanted = wantedOf(program, paper, flags);
  const chosen = chosenOf(program, wanted);
  const folder = flags.out ?? (flags.json === true ? undefined : DEFAULT_FOLDER);
  const files = folder === undefined ? undefined : filesOf(folder, paper);
  if (files !== undefined) refuseForeignFiles(files, program);
  if (flags.dryRun === true) return print(plannedWords(paper, chosen, files), flags);
  await run(program, wanted, files, flags);
}

async function run(
  program: PaperProgram,
  wanted: PaperWanted,
  files: PaperFiles | undefined,
  flags: PaperFlags,
): Promise<void> {
  const watched = flags.quiet !== true && process.stderr.isTTY;
  const bar = watched ? shareProgress(process.stderr) : undefined;
  const experiments = program.runPaper(wanted);
  let next = experiments.next();
  for (; next.done !== true; next = experiments.next()) {
    bar?.update(next.value.done, next.value.what);
  }
  bar?.done();
  const result = next.value;
  const json = finiteJson(result);
  const written = files && (await writeResult(files, program.paperPage(result), json));
  if (flags.json === true) {
    process.stdout.write(`${json}\n`);
    if (written !== undefined) process.stderr.write(`${written}\n`);
  } else {
    const text = program.paperText(result, inkFor(process.stdout));
    process.stdout.write(`\n${text}\n\n${written}\n`);
  }
}

function print(
  { text, ...told }: { readonly text: string },
  { json }: { readonly json?: boolean },
): void {
  process.stdout.write(json === true ? `${finiteJson(told)}\n` : `${text}\n`);
}

function paperNamed(name: string | undefined): PaperName {
  if (name === 'ridge' || name === 'fesc') return name;
  const remedy = 'try suffice paper ridge or suffice paper fesc; --list names their experiments';
  if (name === undefined) throw new UsageError('which paper?', remedy);
  if (name === 'fisher' || name === 'images') {
    throw new UsageError(`the experiments of ${name} are not built`, remedy);
  }
  throw new UsageError(`no such paper: ${name}`, remedy);
}

function wantedOf(program: PaperProgram, paper: PaperName, flags: PaperFlags): PaperWanted {
  const other = paper === 'ridge' ? 'fesc' : 'ridge';
  const foreign = ownFlags[other].find((flag) => flags[flag] !== undefined);
  if (foreign !== undefined) {
    throw new UsageError(
      `--${foreign} belongs to suffice paper ${other}`,
      `leave out --${foreign}`,
    );
  }
  const { law } = flags;
  const names = program.laws.map(({ name }) => name);
  const only = flags.experiment.flatMap((text) => splitList(text, '--experiment'));
  const ids = program.entries(paper).map(({ id }) => id);
  for (const id of only) refuseUnknown('experiment', id, ids);
  if (law !== undefined) refuseUnknown('law', law, names);
  return {
    paper,
    only: only.length === 0 && law !== undefined ? ['mse'] : only,
    quick: flags.quick === true,
    ...(law === undefined ? {} : { law }),
    ...numbersOf(flags),
    ...paperConditions(),
  };
}

function refuseUnknown(what: string, name: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return;
  throw new UsageError(`no such ${what}: ${name}`, `--${what} takes ${allowed.join(', ')}`);
}

const wholeNumbers = [
  'seed',
  'trials',
  'sites',
  'rows',
  'features',
  'runs',
  'nodes',
  'dimension',
] as const;
const decimals = ['heterogeneity', 'ridge'] as const;

type NumberFlag = (typeof wholeNumbers)[number] | (typeof decimals)[number];

function numbersOf(flags: PaperFlags): Partial<Record<NumberFlag, number>> {
  const read = (flag: NumberFlag, pattern: RegExp, kind: string, example: string) => {
    const text = flags[flag];
    if (text === undefined) return [];
    if (!pattern.test(text)) {
      throw new UsageError(`--${flag} must be ${kind}: ${text}`, `try --${flag} ${example}`);
    }
    return [[flag, Number(text)] as const];
  };
  return Object.fromEntries([
    ...wholeNumbers.flatMap((flag) => read(flag, /^\d{1,15}$/, 'a whole number', '10')),
    ...decimals.flatMap((flag) => read(flag, /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/i, 'a number', '0.5')),
  ]);
}

/** What would run; bounds of numbers are the experiments' own. */
function chosenOf(program: PaperProgram, wanted: PaperWanted): readonly PaperEntry[] {
  try {
    return program.chosen(wanted);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new UsageError(`--${failure.message}`, 'give a number within these bounds');
  }
}
