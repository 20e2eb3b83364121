import { type Agreement, codebookIn, regressionOf } from '../../src/federate.ts';
import { aboutExcess } from '../../src/model/excess-text.ts';
import { rowsForExcess, type Verdict } from '../../src/privacy/forecast.ts';
import { fedAvgBytes, parametersOf } from '../../src/protocol/communication.ts';
import { bytesOf, entriesOf } from '../../src/statistic/layout.ts';
import type { Study } from '../../src/study/study.ts';
import type { Plan } from './plan.ts';
import { studyJson } from './study-json.ts';
import { type StudyTold, toldStudy } from './study-told.ts';

/** What a study will ask of every site, and what may be thought over before it is created. */
export interface PlanReview {
  readonly json: string;
  readonly responses: readonly string[];
  /** As R names them. */
  readonly terms: readonly string[];
  readonly numbers: number;
  readonly bytes: number;
  /** What FedAvg would send up in 100 rounds. */
  readonly fedAvg: number;
  /** What every site reads before it takes part. */
  readonly told: StudyTold;
  readonly notes: readonly string[];
  readonly forecast?: NoiseForecast;
}

/** What noise will do to the answer. */
export interface NoiseForecast {
  /** Rows from which noise adds 1 % of the explained variance to the error. */
  readonly rowsNeeded: number;
  /** Of the rows that are expected, where somebody has said how many. */
  readonly excess?: string;
  readonly verdict?: Verdict;
  /** Numbers of which no public SD is stated: a quarter of the range stands in, and noise weighs more where that is too wide. */
  readonly guessed: readonly string[];
  /** Nothing is created of such a plan unless it is forced. */
  readonly drowned: boolean;
}

const ROUNDS = 100;

export function reviewOf(agreed: Agreement, sites: readonly string[], plan: Plan): PlanReview {
  const { study, layout } = agreed;
  const numbers = entriesOf(layout);
  const { layout: sums } = regressionOf(agreed);
  const responses = sums.columns.slice(-sums.responses);
  const forecast = forecastOf(agreed, Math.max(1, sites.length), plan);
  return {
    json: studyJson(study),
    responses,
    terms: sums.columns.slice(sums.intercept ? 0 : 1, -sums.responses),
    numbers,
    bytes: bytesOf(layout),
    fedAvg: fedAvgBytes(parametersOf(sums), ROUNDS).up,
    told: toldStudy(agreed, sites.length),
    notes: [...notesOf(agreed, sites), ...(agreed.method.text.notes ?? [])],
    ...(forecast === undefined ? {} : { forecast }),
  };
}

function notesOf({ study, columns }: Agreement, sites: readonly string[]): string[] {
  const bare = columns.filter(
    ({ column }) => column.type === 'number' && column.unit === undefined,
  );
  const { quorum = {} } = study;
  const used = new Set(columns.map(({ name }) => name));
  const idle = Object.keys(codebookIn({ study, columns })).filter((name) => !used.has(name));
  return [
    ...(bare.length === 0
      ? []
      : [`no unit is stated for ${bare.map(({ name }) => name).join(', ')}`]),
    ...(idle.length === 0 ? [] : [`the formula does not use ${idle.join(', ')}`]),
    ...quorumNotes(quorum, sites),
  ];
}

function quorumNotes(quorum: NonNullable<Study['quorum']>, sites: readonly string[]): string[] {
  if (quorum.sites === undefined) return ['one site is enough to resolve; a quorum asks for more'];
  if (sites.length === 0 || quorum.sites <= sites.length) return [];
  return [`${quorum.sites} sites must contribute, and ${sites.length} are named so far`];
}

function forecastOf(
  { method: { noise }, columns: read }: Agreement,
  sites: number,
  plan: Plan,
): NoiseForecast | undefined {
  if (noise === undefined || noise.terms.refinement !== undefined) return undefined;
  const { expectedRows, rounds = 0 } = noise.terms;
  const rows = expectedRows ?? 1;
  const found = noise.forecast({ rows, sites });
  const rowsNeeded = rowsForExcess(0.01, found, rows);
  const guessed = read
    .filter(({ column }) => column.type === 'number' && column.sd === undefined)
    .map(({ name }) => name);
  if (expectedRows === undefined) return { rowsNeeded, guessed, drowned: false };
  const { verdict } = found;
  return {
    rowsNeeded,
    guessed,
    excess: aboutExcess(found.expectedExcess),
    verdict,
    drowned: verdict === 'refuse' && rounds === 0 && !plan.privacy.forced,
  };
}
