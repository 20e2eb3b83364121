import type { ZodError } from 'zod';
import { requireSiteName } from '../../src/coordinator/site-name.ts';
import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import { spelledKnots } from '../../src/features/spelled-knots.ts';
import { type Agreement, agreement } from '../../src/federate.ts';
import { parseStudy } from '../../src/fusion/study-schema.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { draftStudy, type Widened } from '../../src/rows/draft-study.ts';
import { type Codebook, SITE_COLUMN } from '../../src/study/codebook.ts';
import { FormulaError, formulaColumns, parseFormula } from '../../src/study/formula.ts';
import { expandFormula } from '../../src/study/formula-terms.ts';
import type { ImageData } from '../../src/study/image-study.ts';
import { spelledFormula } from '../../src/study/spelled-formula.ts';
import type { Study } from '../../src/study/study.ts';
import { publishedNotes, twinNotes } from '../../src/table/level-notes.ts';
import { namesIn, type PlannedImages, type StudyPlan } from './plan.ts';
import { createReading, type PlanProblem, type PlanReading } from './plan-problems.ts';
import { type PlanReview, reviewOf } from './plan-review.ts';
import { addingIssue, plannedAdding } from './planned-adding.ts';
import {
  plannedColumn,
  plannedFusion,
  plannedPrivacy,
  plannedQuorum,
  requireFuture,
} from './planned-terms.ts';
import { rememberingPool, type Sample } from './sample.ts';

/** A plan after its check. */
export interface CheckedPlan {
  readonly problems: readonly PlanProblem[];
  /** The columns of the study that are known so far. */
  readonly codebook: Codebook;
  /** Ranges that are wider than in the sample. */
  readonly widened: readonly Widened[];
  readonly sites: readonly string[];
  /** Whether the study itself names its sites, with their keys. */
  readonly fromRoster: boolean;
  /** The study; absent while the plan has problems. */
  readonly study?: Study;
  readonly review?: PlanReview;
}

interface Described {
  readonly codebook: Codebook;
  readonly widened: readonly Widened[];
  /** What to think over about the columns. */
  readonly notes: readonly string[];
}

/** Longest name in the schema of a study. */
const LONGEST_NAME = 100;

/** Checks a plan by the coordinator's rules. Sends nothing. */
export async function checkedPlan(
  plan: StudyPlan,
  sample: Sample | undefined,
): Promise<CheckedPlan> {
  const reading = createReading();
  const aggregation = plannedAdding(plan, reading);
  const roster =
    aggregation !== undefined && 'roster' in aggregation ? aggregation.roster : undefined;
  const { kind } = plan.adding;
  const fromRoster = roster !== undefined || kind === 'two-parties' || kind === 'masks';
  const sites = fromRoster ? Object.keys(roster ?? {}) : namesIn(plan.sites);
  const { notes, ...described } = await describe(plan, sites, sample, reading);
  const study = plannedStudy(plan, described.codebook, aggregation, reading);
  requireFuture('expires', plan.expires, reading);
  const agreed = study === undefined ? undefined : agreedOn(study, reading);
  if (roster !== undefined || !fromRoster) refuseSites(sites, agreed, reading);
  refuseName(plan, reading);
  return {
    ...described,
    problems: reading.problems,
    sites,
    fromRoster,
    ...(agreed === undefined
      ? {}
      : { study: agreed.study, review: reviewOf(agreed, sites, plan, notes) }),
  };
}

/** The codebook: drafted from the sample for the columns of the formula; columns that a person wrote take precedence. */
async function describe(
  plan: StudyPlan,
  sites: readonly string[],
  sample: Sample | undefined,
  reading: PlanReading,
): Promise<Described> {
  if (plan.images !== undefined) return { codebook: {}, widened: [], notes: [] };
  const own: Codebook = Object.fromEntries(
    Object.entries(plan.columns).map(([name, column]) => [
      name,
      plannedColumn(name, column, reading),
    ]),
  );
  const all = usesSites(plan.formula)
    ? { ...own, [SITE_COLUMN]: { type: 'category' as const, levels: sites } }
    : own;
  if (plan.formula.trim() === '') {
    reading.problems.push({
      field: 'formula',
      problem: 'there is no formula yet',
      remedy: 'write the response, ~, and the terms: y ~ x + factor(group)',
      untouched: true,
    });
    return { codebook: plan.codebook === 'sample' ? {} : all, widened: [], notes: [] };
  }
  try {
    const parsed = parseFormula(plan.formula);
    if (plan.codebook === 'written' || sample === undefined) {
      expandFormula(parsed, Object.keys(all));
      return { codebook: all, widened: [], notes: levelNotesOf(all) };
    }
    expandFormula(parsed, [...sample.table.header, SITE_COLUMN]);
    return await draft(plan, own, sites, sample, reading);
  } catch (error) {
    reading.problems.push(problemOf(error));
    return { codebook: all, widened: [], notes: levelNotesOf(all) };
  }
}

function levelNotesOf(codebook: Codebook): string[] {
  return [...publishedNotes(codebook), ...twinNotes(codebook)].map(({ text }) => text);
}

function usesSites(formula: string): boolean {
  try {
    return formulaColumns(parseFormula(formula)).columns.includes(SITE_COLUMN);
  } catch {
    return false;
  }
}

async function draft(
  { formula, weights, privacy }: StudyPlan,
  own: Codebook,
  sites: readonly string[],
  sample: Sample,
  { problems }: PlanReading,
): Promise<Described> {
  const { address, table, reading } = sample;
  const lacking = [weights, privacy.kind === 'noise' ? privacy.person : ''].find(
    (name) => name !== '' && !table.header.includes(name),
  );
  if (lacking !== undefined) {
    problems.push({
      field: lacking === weights ? 'weights' : 'privacy.person',
      problem: `the sample has no column ${lacking}`,
      remedy: 'name one of its columns',
    });
  }
  const { study, widened, notes } = await draftStudy(
    {
      formula,
      files: [address],
      fusion: { kind: 'ridge', ridge: 0 },
      arithmetic: 'exact',
      listed: Object.keys(own),
      missingMarkers: reading.missingMarkers,
      sites,
      exactRanges: false,
      ...defined({ encoding: reading.encoding, decimal: reading.decimal }),
      ...(weights === '' || lacking === weights ? {} : { weights }),
    },
    rememberingPool(sample, own),
    () => ({ update() {}, done() {} }),
  );
  const { person } = privacy;
  const persons: Codebook =
    privacy.kind === 'noise' && privacy.unit === 'person' && person !== ''
      ? { [person]: { type: 'id' } }
      : {};
  const codebook = Object.fromEntries(
    Object.entries({ ...study.codebook, ...persons }).map(([name, column]) => [
      name,
      own[name] ?? column,
    ]),
  );
  return { codebook, widened: widened.filter(({ column }) => own[column] === undefined), notes };
}

/** The study of a plan; undefined if a part of the plan cannot be read. */
function plannedStudy(
  plan: StudyPlan,
  codebook: Codebook,
  aggregation: Study['aggregation'],
  reading: PlanReading,
): Study | undefined {
  const fusion = plannedFusion(plan, reading);
  const privacy = plannedPrivacy(plan, reading);
  const quorum = plannedQuorum(plan, reading);
  const { name, weights, disclosure, more } = plan;
  if (reading.problems.length > 0 || fusion === undefined) return undefined;
  if (plan.loaded !== undefined) return parseStudy(JSON.parse(plan.loaded));
  const rules = {
    ...(disclosure === 'default' ? {} : { profile: disclosure }),
    ...more.disclosure,
  };
  return {
    schema: 'suffice/study@1',
    ...(name.trim() === '' ? {} : { name: name.trim().slice(0, LONGEST_NAME) }),
    ...(plan.images === undefined
      ? {
          formula: spelledKnots(spelledFormula(plan.formula, codebook), codebook).formula,
          codebook,
          ...(weights === '' ? {} : { weights }),
        }
      : { data: plannedImages(plan.images) }),
    fusion,
    arithmetic: 'exact',
    ...more.study,
    ...defined({ aggregation, privacy }),
    ...(Object.keys(rules).length === 0 ? {} : { disclosure: rules }),
    ...defined({ quorum }),
  };
}

function plannedImages({ classes, ...form }: PlannedImages): ImageData {
  return { kind: 'images', ...form, classes: namesIn(classes) };
}

/** A new study needs a name; a loaded one may have none. */
function refuseName({ name, loaded }: StudyPlan, { problems }: PlanReading): void {
  const { length } = name.trim();
  if (length === 0 && loaded === undefined) {
    const remedy = 'give it a name';
    problems.push({ field: 'name', problem: 'the study has no name', remedy, untouched: true });
  }
  if (length > LONGEST_NAME) {
    const problem = `the name has ${length} characters; at most ${LONGEST_NAME} are allowed`;
    problems.push({ field: 'name', problem, remedy: 'shorten it' });
  }
}

function agreedOn(study: Study, { problems }: PlanReading): Agreement | undefined {
  try {
    return agreement(parseStudy(study));
  } catch (error) {
    if (isZodError(error)) problems.push(...issuesOf(error));
    else
      problems.push(
        needsOpenSums(study) ? { ...problemOf(error), field: 'adding' } : problemOf(error),
      );
    return undefined;
  }
}

/** Whether a study that is refused would be right if its sums were added openly. */
function needsOpenSums({ aggregation, ...study }: Study): boolean {
  if (aggregation === undefined) return false;
  try {
    agreement(parseStudy(study));
    return true;
  } catch {
    return false;
  }
}

function isZodError(error: unknown): error is ZodError {
  return error instanceof Error && 'issues' in error;
}

function issuesOf({ issues }: ZodError): PlanProblem[] {
  return issues.map(({ path, message }) => {
    const [first = 'study', second, ...rest] = path.map(String);
    if (first === 'aggregation') return addingIssue([second, ...rest], message);
    const parts: Readonly<Record<string, string>> = {
      codebook: `columns.${second}`,
      data: 'images',
      fusion: 'method',
      privacy: second === undefined ? 'privacy' : `privacy.${second}`,
      quorum: second === 'deadline' ? 'deadline' : 'quorum',
    };
    return { field: parts[first] ?? first, problem: message, remedy: 'correct it' };
  });
}

/** A refusal of the library, with the field it is about. */
function problemOf(error: unknown): PlanProblem {
  if (error instanceof FormulaError) {
    const { problem, remedy, position } = error;
    return { field: 'formula', problem, remedy, position };
  }
  if (!(error instanceof DataError)) throw error;
  const { problem, place, remedy } = error;
  const aboutSites = problem.includes(SITE_COLUMN);
  const about = place.column === undefined ? 'privacy' : `columns.${place.column}`;
  const where = place.row === undefined ? '' : ` (row ${place.row} of the sample)`;
  return {
    field: aboutSites ? 'sites' : about,
    problem: place.column === undefined ? problem : `${place.column}: ${problem}${where}`,
    remedy,
  };
}

function refuseSites(
  sites: readonly string[],
  agreed: Agreement | undefined,
  { problems }: PlanReading,
): void {
  const say = (problem: string, remedy: string) =>
    problems.push({ field: 'sites', problem, remedy });
  if (sites.length === 0) {
    const remedy = 'write their names, one on each line';
    problems.push({ field: 'sites', problem: 'no site is invited', remedy, untouched: true });
  }
  const seen = new Set<string>();
  const twice = new Set(sites.filter((name) => seen.size === seen.add(name).size));
  if (twice.size > 0) {
    say(`named twice: ${[...twice].join(', ')}`, 'name every site once');
  }
  if (agreed === undefined) return;
  try {
    for (const site of sites) requireSiteName(site, agreed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message, error.remedy);
  }
}
