import type { Command } from 'commander';
import { defined } from '../defined.ts';
import {
  loadPaperProgram,
  type PaperEntry,
  type PaperProgram,
  type PaperProgramName,
  type PaperWanted,
} from '../node/run/paper-program.ts';
import { shareProgress } from '../node/run/progress.ts';
import { finiteJson } from '../text/finite-json.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { repeatedFlag } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { paperConditions } from './paper-conditions.ts';
import { filesOf, type PaperFiles, refuseForeignFiles, writeResult } from './paper-files.ts';
import { paperList, paperNames, plannedText } from './paper-text.ts';
import { splitList } from './split-list.ts';
import { inkFor } from './terminal-text.ts';

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
  readonly pixels?: string;
  readonly epochs?: string;
  readonly out?: string;
  readonly list?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const DEFAULT_FOLDER = 'paper-results';

/** Flags that not every paper has. */
const ownFlags: Readonly<Record<PaperProgramName, readonly (keyof PaperFlags)[]>> = {
  ridge: ['trials', 'sites', 'rows', 'features', 'heterogeneity', 'ridge'],
  fesc: ['law', 'runs', 'nodes', 'dimension'],
  images: ['pixels'],
  fisher: ['trials', 'epochs'],
};

/** `suffice paper`: the papers' tables and figures, measured here. */
export function addPaperCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('paper')
    .description("the papers' tables and figures, measured here beside the printed ones")
    .argument('[paper]', 'ridge, fesc, images or fisher')
    .option('--experiment <id>', 'only this one (repeatable)', repeatedFlag, [])
    .option('--trials <n>', 'ridge and fisher: data sets, or first networks, for each value')
    .option('--sites <K>', 'ridge only: number of sites')
    .option('--rows <n>', 'ridge only: rows of a site, a fifth of them held out')
    .option('--features <d>', 'ridge only: number of features')
    .option('--heterogeneity <gamma>', 'ridge only: how different the sites are, 0 to 1')
    .option('--ridge <sigma>', 'ridge only: what is added to the diagonal')
    .option('--law <name>', 'fesc only: the law of sample sizes; alone it means --experiment mse')
    .option('--runs <n>', 'fesc only: Monte-Carlo runs')
    .option('--nodes <m>', 'fesc only: number of nodes')
    .option('--dimension <d>', 'fesc only: number of features')
    .option('--pixels <n>', 'images only: side that CIFAR-10 is resized to for the backbone')
    .option('--epochs <n>', 'fisher only: passes of a client over its images')
    .option('--seed <n>', 'seed of the random numbers')
    .option('--quick', 'small versions of all experiments')
    .option('--list', 'list the experiments and laws')
    .option('--dry-run', 'show what would run, for how long, and where the result would go')
    .option(
      '--out <folder>',
      `folder for the page and its JSON (default: "${DEFAULT_FOLDER}")`,
      asPath,
    )
    .option('--json', 'print the result as JSON, and write files only with --out')
    .option('--quiet', 'no progress bar')
    .action((paper: string | undefined, flags: PaperFlags) => runCommand(paper, flags, io));
}

async function runCommand(name: string | undefined, flags: PaperFlags, io: Io): Promise<void> {
  if (flags.list === true) return print(paperList(await loadPaperProgram()), flags, io);
  const paper = paperNamed(name);
  const program = await loadPaperProgram();
  const folder = flags.out ?? (flags.json === true ? undefined : pathIn(io)(DEFAULT_FOLDER));
  const files = folder === undefined ? undefined : filesOf(folder, paper);
  const wanted = {
    ...wantedOf(program, paper, flags, io),
    ...defined({ parts: files?.parts }),
  };
  const chosen = chosenOf(program, wanted);
  if (files !== undefined) refuseForeignFiles(files, program);
  if (flags.dryRun === true) return print(plannedText(program, paper, chosen, files), flags, io);
  await run(program, wanted, files, flags, io);
}

async function run(
  program: PaperProgram,
  wanted: PaperWanted,
  files: PaperFiles | undefined,
  flags: PaperFlags,
  io: Io,
): Promise<void> {
  const watched = flags.quiet !== true && io.stderr.isTTY;
  const bar = watched ? shareProgress(io.stderr) : undefined;
  const experiments = program.runPaper(wanted);
  let next = await experiments.next();
  for (; next.done !== true; next = await experiments.next()) {
    bar?.update(next.value.done, next.value.what);
  }
  bar?.done();
  const result = next.value;
  for (const { id, problem, remedy } of result.leftOut ?? []) {
    io.stderr.write(`${id} is left out: ${problem}\n  → ${remedy}\n`);
  }
  const json = finiteJson(result);
  const written = files && (await writeResult(files, program.paperPage(result), json, io));
  if (wanted.parts !== undefined) await program.removeParts(wanted.parts);
  if (flags.json === true) {
    io.stdout.write(`${json}\n`);
    if (written !== undefined) io.stderr.write(`${written}\n`);
  } else {
    const text = program.paperText(result, inkFor(io));
    io.stdout.write(`\n${text}\n\n${written}\n`);
  }
}

function print(
  { text, ...facts }: { readonly text: string },
  { json }: { readonly json?: boolean },
  io: Io,
): void {
  io.stdout.write(json === true ? `${visibleJson(finiteJson(facts))}\n` : `${text}\n`);
}

function paperNamed(name: string | undefined): PaperProgramName {
  const known = paperNames.find((one) => one === name);
  if (known !== undefined) return known;
  const remedy = `try suffice paper ${paperNames.join(', suffice paper ')}; --list names their experiments`;
  if (name === undefined) throw new UsageError('which paper?', remedy);
  throw new UsageError(`no such paper: ${name}`, remedy);
}

function wantedOf(
  program: PaperProgram,
  paper: PaperProgramName,
  flags: PaperFlags,
  io: Io,
): PaperWanted {
  for (const other of paperNames.filter((one) => one !== paper)) {
    const foreign = ownFlags[other].find(
      (flag) => flags[flag] !== undefined && !ownFlags[paper].includes(flag),
    );
    if (foreign === undefined) continue;
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
    ...defined({ law }),
    ...numbersOf(flags),
    ...paperConditions(io),
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
  'pixels',
  'epochs',
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

/** What would run; the experiments check the bounds of numbers. */
function chosenOf(program: PaperProgram, wanted: PaperWanted): readonly PaperEntry[] {
  try {
    return program.chosen(wanted);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new UsageError(`--${failure.message}`, 'give a number within these bounds');
  }
}
