import { defined } from '../../src/defined.ts';
import { type Agreement, codebookIn } from '../../src/federate.ts';
import { type ForecastVerdict, rowsForExcess } from '../../src/privacy/forecast.ts';
import { fedAvgBytes, parametersOf } from '../../src/protocol/communication.ts';
import { sentBytes } from '../../src/statistic/envelope.ts';
import { entriesOf } from '../../src/statistic/layout.ts';
import { isImageStudy } from '../../src/study/image-study.ts';
import type { Study } from '../../src/study/study.ts';
import { aboutExcess } from '../../src/text/number-text.ts';
import type { StudyPlan } from './plan.ts';
import { studyJson } from './study-json.ts';
import { type StudyTermsView, studyTermsView } from './study-view.ts';

/** What the study asks of every site, and notes for the analyst before creating it. */
export interface PlanReview {
  readonly json: string;
  /** The columns of a regression. */
  readonly regression?: RegressionReview;
  readonly numbers: number;
  readonly bytes: number;
  /** The study as every site reads it before taking part. */
  readonly study: StudyTermsView;
  readonly notes: readonly string[];
  readonly forecast?: NoiseForecast;
}

/** What a regression explains, and by what. */
export interface RegressionReview {
  readonly responses: readonly string[];
  /** With R's names. */
  readonly terms: readonly string[];
  /** Bytes that FedAvg would send up in 100 rounds. */
  readonly fedAvg: number;
}

/** The effect of noise on the result. */
export interface NoiseForecast {
  /** Number of rows at which noise adds 1 % of the explained variance to the error. */
  readonly rowsNeeded: number;
  /** Added error at the expected number of rows, if that number is known. */
  readonly excess?: string;
  readonly verdict?: ForecastVerdict;
  /** Columns without a public SD: a quarter of the range is used, and the effect of noise is underestimated if that is too wide. */
  readonly guessed: readonly string[];
  /** The result would be mostly noise: the study is created only if `forced`. */
  readonly tooNoisy: boolean;
}

const ROUNDS = 100;

export function reviewOf(
  agreed: Agreement,
  sites: readonly string[],
  plan: StudyPlan,
  columnNotes: readonly string[],
): PlanReview {
  const { study, layout } = agreed;
  const numbers = entriesOf(layout);
  const regression = regressionReview(agreed);
  const forecast = forecastOf(agreed, Math.max(1, sites.length), plan);
  return {
    json: studyJson(study),
    numbers,
    bytes: sentBytes(layout),
    study: studyTermsView(agreed, sites.length),
    notes: [...columnNotes, ...notesOf(agreed, sites), ...(agreed.method.text.notes ?? [])],
    ...defined({ regression, forecast }),
  };
}

function regressionReview({ method: { regression } }: Agreement): RegressionReview | undefined {
  if (regression === undefined) return undefined;
  const { layout } = regression;
  return {
    responses: layout.columns.slice(-layout.responses),
    terms: layout.columns.slice(layout.intercept ? 0 : 1, -layout.responses),
    fedAvg: fedAvgBytes(parametersOf(layout), ROUNDS).up,
  };
}

function notesOf({ study, columns, aggregation }: Agreement, sites: readonly string[]): string[] {
  const bare = columns.filter(
    ({ column }) => column.type === 'number' && column.unit === undefined && !isImageStudy(study),
  );
  const { quorum = {} } = study;
  const used = new Set(columns.map(({ name }) => name));
  const idle = Object.keys(codebookIn({ study, columns })).filter((name) => !used.has(name));
  return [
    ...(bare.length === 0
      ? []
      : [`no unit is stated for ${bare.map(({ name }) => name).join(', ')}`]),
    ...(idle.length === 0 ? [] : [`the formula does not use ${idle.join(', ')}`]),
    ...quorumNotes(quorum, sites, aggregation.minimumSites),
  ];
}

function quorumNotes(
  quorum: NonNullable<Study['quorum']>,
  sites: readonly string[],
  minimumSites = 1,
): string[] {
  if (quorum.sites === undefined && minimumSites === 1)
    return ['one site is enough for a result; set a quorum to ask for more'];
  if (sites.length === 0 || (quorum.sites ?? minimumSites) <= sites.length) return [];
  return [`the quorum is ${quorum.sites} sites, but only ${sites.length} are named`];
}

function forecastOf(
  { method: { noise }, columns: read }: Agreement,
  sites: number,
  plan: StudyPlan,
): NoiseForecast | undefined {
  if (noise === undefined || noise.terms.refinement !== undefined) return undefined;
  const { expectedRows, rounds = 0 } = noise.terms;
  const rows = expectedRows ?? 1;
  const found = noise.forecast({ rows, sites });
  const rowsNeeded = rowsForExcess(0.01, found, rows);
  const guessed = read
    .filter(({ column }) => column.type === 'number' && column.sd === undefined)
    .map(({ name }) => name);
  if (expectedRows === undefined) return { rowsNeeded, guessed, tooNoisy: false };
  const { verdict } = found;
  return {
    rowsNeeded,
    guessed,
    excess: aboutExcess(found.expectedExcess),
    verdict,
    tooNoisy: verdict === 'refuse' && rounds === 0 && !plan.privacy.forced,
  };
}
