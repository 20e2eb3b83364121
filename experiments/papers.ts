import { DataError } from '../src/data-error.ts';
import type {
  PaperEntry,
  PaperProgram,
  PaperProgramName,
  PaperWanted,
} from '../src/node/run/paper-program.ts';
import { fescExperiments } from './fesc/experiments.ts';
import { type LawName, laws } from './fesc/laws.ts';
import {
  checkSimulationPlan,
  type FescPlan,
  defaultSimulationPlan as usualFesc,
} from './fesc/simulation.ts';
import { fisherExperiments } from './fisher/experiments.ts';
import { partsInFolder, partsInMemory, removeParts } from './fisher/part-store.ts';
import {
  checkFisherPlan,
  type FisherPlan,
  quickFisherPlan,
  defaultFisherPlan as usualFisher,
} from './fisher/plan.ts';
import { imageExperiments } from './images/experiments.ts';
import { checkImagePlan, type ImagePlan, defaultImagePlan as usualImages } from './images/plan.ts';
import { pageMark, paperPage } from './page/paper-page.ts';
import { paperText } from './page/paper-text.ts';
import type {
  Experiment,
  ExperimentResult,
  ExperimentStep,
  Omission,
  PaperResult,
  ReadingExperiment,
} from './paper-result.ts';
import { ridgeExperiments } from './ridge/experiments.ts';
import {
  checkRidgePlan,
  planRun,
  type RidgePlan,
  defaultRidgePlan as usualRidge,
} from './ridge/plan.ts';
import { fescSeconds, fisherSeconds, imageSeconds, ridgeSeconds } from './typical-seconds.ts';

export { paperPage };

const schema = 'suffice/paper@1';
const papers = {
  ridge: { title: 'One-shot federated ridge regression', source: 'arXiv 2601.08216' },
  fesc: { title: 'FESC: one-shot averaging with corrected weights', source: 'IPOL 2023.440' },
  images: {
    title: 'Images in one round, beside FedFisher',
    source: 'FedFisher, arXiv 2403.12329, Table 2',
  },
  fisher: {
    title: 'FedFisher: one-shot fusion of neural networks',
    source: 'arXiv 2403.12329',
  },
} as const;

const QUICK_RUNS = 20;

/** An experiment as the command runs it. */
export interface PaperRun extends PaperEntry {
  /** Whether it runs only when it is named. */
  readonly isLong?: boolean;
  run(): Experiment | ReadingExperiment;
}

/** Runs the wanted experiments of a paper one after another; progress counts over all of them. */
export async function* runPaper(
  wanted: PaperWanted,
): AsyncGenerator<ExperimentStep, PaperResult, void> {
  const { paper, date, machine, versions } = wanted;
  const started = performance.now();
  const { experiments, leftOut } = yield* runEntries(entriesOf(wanted));
  return {
    schema,
    paper,
    ...papers[paper],
    date,
    machine,
    versions,
    seconds: (performance.now() - started) / 1000,
    settings: { ...planOf[paper](wanted), quick: wanted.quick },
    experiments,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

/** Leaves out what needs data that are not here; throws if nothing is left. */
export async function* runEntries(
  chosen: readonly PaperRun[],
): AsyncGenerator<ExperimentStep, Required<Pick<PaperResult, 'experiments' | 'leftOut'>>, void> {
  const total = chosen.reduce((sum, { seconds }) => sum + seconds, 0);
  const experiments: ExperimentResult[] = [];
  const leftOut: Omission[] = [];
  let before = 0;
  for (const entry of chosen) {
    const within = (done: number) => (before + done * entry.seconds) / total;
    yield { done: within(0), what: nameOf(entry) };
    try {
      experiments.push(yield* stepsWithin(entry, within));
    } catch (failure) {
      if (!(failure instanceof DataError)) throw failure;
      leftOut.push({ id: entry.id, problem: failure.message, remedy: failure.remedy });
      if (leftOut.length === chosen.length) throw failure;
    }
    before += entry.seconds;
  }
  return { experiments, leftOut };
}

async function* stepsWithin(
  entry: PaperRun,
  within: (done: number) => number,
): AsyncGenerator<ExperimentStep, ExperimentResult, void> {
  const experiment = entry.run();
  for (;;) {
    const next = await experiment.next();
    if (next.done === true) return next.value;
    const { done, what } = next.value;
    yield { done: within(done), what: `${nameOf(entry)}: ${what}` };
  }
}

const nameOf = ({ id }: PaperRun) => (/^\d+$/.test(id) ? `experiment ${id}` : id);

/** The wanted experiments in the paper's order; throws a RangeError if the plan cannot be run. */
function entriesOf(wanted: PaperWanted): readonly PaperRun[] {
  const { only } = wanted;
  const all = entriesBy[wanted.paper](wanted);
  return all.filter(({ id, isLong }) => (only.length === 0 ? isLong !== true : only.includes(id)));
}

function ridgeEntries(wanted: PaperWanted): PaperRun[] {
  const plan = ridgePlan(wanted);
  return Object.entries(ridgeExperiments).map(([id, { title, run }]) => ({
    id,
    title,
    seconds: ridgeSeconds(id, plan),
    run: () => run(plan),
  }));
}

function fescEntries(wanted: PaperWanted): PaperRun[] {
  const plan = fescPlan(wanted);
  return Object.entries(fescExperiments).map(([id, { title, run }]) => ({
    id,
    title,
    seconds: fescSeconds(id, plan),
    run: () => run(plan),
  }));
}

function imageEntries(wanted: PaperWanted): PaperRun[] {
  const plan = imagePlan(wanted);
  const short = wanted.quick && wanted.only.length === 0;
  return Object.entries(imageExperiments)
    .filter(([, { hasQuick }]) => hasQuick || !short)
    .map(([id, { title, run }]) => ({
      id,
      title,
      seconds: imageSeconds(id, plan),
      run: () => run(plan),
    }));
}

function fisherEntries(wanted: PaperWanted): PaperRun[] {
  const plan = fisherPlan(wanted);
  const parts =
    wanted.parts === undefined
      ? partsInMemory()
      : partsInFolder(wanted.parts, wanted.versions.suffice ?? '');
  return Object.entries(fisherExperiments).map(([id, { title, isLong = false, run }]) => ({
    id,
    title,
    isLong,
    seconds: fisherSeconds(id, plan),
    run: () => run({ plan, parts }),
  }));
}

const entriesBy: Readonly<Record<PaperProgramName, (wanted: PaperWanted) => PaperRun[]>> = {
  ridge: ridgeEntries,
  fesc: fescEntries,
  images: imageEntries,
  fisher: fisherEntries,
};

const planOf: Readonly<
  Record<PaperProgramName, (wanted: PaperWanted) => RidgePlan | FescPlan | ImagePlan | FisherPlan>
> = { ridge: ridgePlan, fesc: fescPlan, images: imagePlan, fisher: fisherPlan };

function ridgePlan(wanted: PaperWanted): RidgePlan {
  const { sites, rows, features, heterogeneity, ridge, trials, seed, quick } = wanted;
  const asked: RidgePlan = {
    sites: sites ?? usualRidge.sites,
    rowsPerSite: rows ?? usualRidge.rowsPerSite,
    features: features ?? usualRidge.features,
    ridge: ridge ?? usualRidge.ridge,
    heterogeneity: heterogeneity ?? usualRidge.heterogeneity,
    trials: trials ?? usualRidge.trials,
    seed: seed ?? usualRidge.seed,
    quick,
  };
  checkRidgePlan(asked);
  return planRun(asked);
}

function fescPlan({ quick, seed, runs, nodes, dimension, law }: PaperWanted): FescPlan {
  const plan = {
    law: (law ?? usualFesc.law) as LawName,
    nodes: nodes ?? usualFesc.nodes,
    dimension: dimension ?? usualFesc.dimension,
    runs: runs ?? (quick ? QUICK_RUNS : usualFesc.runs),
    seed: seed ?? usualFesc.seed,
  };
  checkSimulationPlan(plan);
  return plan;
}

function imagePlan({ quick, seed, pixels }: PaperWanted): ImagePlan {
  const plan = {
    seed: seed ?? usualImages.seed,
    pixels: pixels ?? usualImages.pixels,
    quick,
  };
  checkImagePlan(plan);
  return plan;
}

function fisherPlan({ quick, seed, trials, epochs }: PaperWanted): FisherPlan {
  const usual = { ...usualFisher, ...(quick ? quickFisherPlan : {}) };
  const plan = {
    seed: seed ?? usual.seed,
    trials: trials ?? usual.trials,
    epochs: epochs ?? usual.epochs,
    quick,
  };
  checkFisherPlan(plan);
  return plan;
}

const nothingSpecial = { only: [], quick: false, date: '', machine: '', versions: {} };

/** The options of the command line. */
export const paperProgram: PaperProgram = {
  titles: {
    ridge: papers.ridge.title,
    fesc: papers.fesc.title,
    images: papers.images.title,
    fisher: papers.fisher.title,
  },
  threads: { ridge: 1, fesc: 1, images: 1, fisher: 2 },
  laws: Object.entries(laws).map(([name, { title }]) => ({ name, title })),
  entries: (paper: PaperProgramName) => entriesBy[paper]({ ...nothingSpecial, paper }),
  chosen: entriesOf,
  runPaper,
  removeParts,
  paperPage,
  paperText,
  isResult: (text) => text.includes(pageMark) || text.includes(`"schema": "${schema}"`),
};
