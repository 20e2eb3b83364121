import type { PairwiseMasks } from '../../src/aggregation/pairwise-masks.ts';
import type { TwoAggregators } from '../../src/aggregation/two-aggregators.ts';
import { rosterIn } from '../../src/aggregation/written-roster.ts';
import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import type { Study } from '../../src/study/study.ts';
import type { PlannedAdding, StudyPlan } from './plan.ts';
import type { PlanProblem, PlanReading } from './plan-problems.ts';

/** How the sums of a plan are added; undefined if openly, or if a field cannot be read. */
export function plannedAdding(
  { adding }: StudyPlan,
  reading: PlanReading,
): Study['aggregation'] | undefined {
  if (adding.kind === 'openly') return undefined;
  if (adding.kind === 'file') return adding.loaded;
  if (adding.kind === 'masks') return plannedMasks(adding, reading);
  const helper = plannedHelper(adding, reading);
  const roster = plannedRoster(adding, reading);
  const minimumSites = plannedMinimum(adding, roster, reading);
  const folds = reading.optional('groups', adding.groups, { from: 2, to: 20, whole: true });
  if (helper === undefined || roster === undefined) return undefined;
  const { kem } = adding;
  return {
    kind: 'two-aggregators',
    helper,
    roster,
    ...defined({ minimumSites, kem: kem === 'x25519' ? undefined : kem, folds }),
  };
}

function plannedMasks(adding: PlannedAdding, reading: PlanReading): PairwiseMasks | undefined {
  const roster = plannedRoster(adding, reading);
  const minimumSites = plannedMinimum(adding, roster, reading);
  const { stageMinutes: minutes } = adding;
  const stageMinutes = reading.optional('stageMinutes', minutes, {
    from: 1,
    to: 10_080,
    whole: true,
  });
  if (roster === undefined) return undefined;
  return { kind: 'pairwise-masks', roster, ...defined({ minimumSites, stageMinutes }) };
}

/** The fields for how a loaded study adds. */
export function addingOf(aggregation: Study['aggregation'], empty: PlannedAdding): PlannedAdding {
  if (aggregation === undefined) return empty;
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  if (aggregation.kind === 'pairwise-masks' && aggregation.threshold === undefined) {
    return {
      ...empty,
      kind: 'masks',
      roster: rosterText(aggregation.roster),
      minimumSites: text(aggregation.minimumSites),
      stageMinutes: text(aggregation.stageMinutes),
    };
  }
  if (aggregation.kind !== 'two-aggregators') {
    return { ...empty, kind: 'file', loaded: aggregation };
  }
  const { helper, roster, minimumSites, kem = 'x25519', folds } = aggregation;
  const { url, key, signingKey } = helper;
  return {
    kind: 'two-parties',
    helper: JSON.stringify({ keys: { [kem]: key }, signingKey }, null, 2),
    address: url,
    roster: rosterText(roster),
    minimumSites: text(minimumSites),
    groups: text(folds),
    stageMinutes: '',
    kem,
  };
}

function rosterText(roster: TwoAggregators['roster']): string {
  return Object.entries(roster)
    .map(([name, own]) => `${name} ${own}`)
    .join('\n');
}

const CARD = 'paste what suffice helper show ADDRESS --json prints';

function plannedHelper(
  { helper, address, kem }: PlannedAdding,
  { problems }: PlanReading,
): TwoAggregators['helper'] | undefined {
  const url = address.trim().replace(/\/+$/, '');
  if (!/^https?:\/\/[^\s?#]+$/.test(url)) {
    problems.push({
      field: 'address',
      problem: url === '' ? 'the address of the helper is missing' : 'this is no http address',
      remedy: 'write it as https://helper.example.org',
      ...(url === '' ? { untouched: true } : {}),
    });
  }
  if (helper.trim() === '') {
    problems.push({
      field: 'helper',
      problem: 'the keys of the helper are missing',
      remedy: CARD,
      untouched: true,
    });
    return undefined;
  }
  const { keys, signingKey } = cardIn(helper);
  const key = keys?.[kem];
  if (isKey(key) && isKey(signingKey)) return { url, key, signingKey };
  problems.push({
    field: 'helper',
    problem: isKey(signingKey) ? `there is no key for ${kem}` : 'these are no keys of a helper',
    remedy: CARD,
  });
  return undefined;
}

const isKey = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w-]{43,1700}$/.test(text);

/** What a helper says about itself, as far as the text has it. */
function cardIn(text: string): {
  readonly keys?: Readonly<Record<string, unknown>>;
  readonly signingKey?: unknown;
} {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function plannedRoster(
  { roster }: PlannedAdding,
  { problems }: PlanReading,
): TwoAggregators['roster'] | undefined {
  if (roster.trim() === '') {
    problems.push({
      field: 'roster',
      problem: 'the roster is empty',
      remedy: 'write the name and the key of each site, one site on each line',
      untouched: true,
    });
    return undefined;
  }
  try {
    return rosterIn(roster, 'the roster');
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    problems.push({ field: 'roster', problem: error.problem, remedy: error.remedy });
    return undefined;
  }
}

const USUAL_MINIMUM = 5;

function plannedMinimum(
  { minimumSites }: PlannedAdding,
  roster: TwoAggregators['roster'] | undefined,
  reading: PlanReading,
): number | undefined {
  const fewest = reading.optional('minimumSites', minimumSites, {
    from: 3,
    to: 65_536,
    whole: true,
  });
  const sites = Object.keys(roster ?? {}).length;
  const needed = fewest ?? USUAL_MINIMUM;
  if (roster !== undefined && sites < needed) {
    reading.problems.push({
      field: 'minimumSites',
      problem: `the roster has ${sites} ${sites === 1 ? 'site' : 'sites'}, and ${needed} are needed for a result`,
      remedy: 'add sites, or write a smaller number; 3 is the smallest',
    });
  }
  return fewest;
}

/** The problem of a part of the study's aggregation, by its path in the JSON. */
export function addingIssue(path: readonly string[], message: string): PlanProblem {
  const [part = 'adding', member] = path;
  const field = part === 'helper' && member === 'url' ? 'address' : part;
  return { field, problem: `the ${field} ${message}`, remedy: 'correct it' };
}
