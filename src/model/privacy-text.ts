import { attackBound } from '../privacy/budget.ts';
import { parseFormula } from '../study/formula.ts';
import { aboutExcess } from './excess-text.ts';
import { grouped, significant } from './number-text.ts';
import type { PrivacyFacts } from './privacy-facts.ts';
import type { Report } from './report.ts';

/** How many rows a report is of: "1,234", or "about 1,234" where that number is noisy. */
export function rowsWords({ n, privacy }: Pick<Report, 'n' | 'privacy'>): string {
  return `${(privacy?.sigma.count ?? 0) > 0 ? 'about ' : ''}${grouped(n)}`;
}

/** A residual SD in so many digits; of a private report, in no more than the noise lets through. */
export function residualText(
  sigma: number,
  { privacy }: Pick<Report, 'privacy'>,
  digits: number,
): string {
  return privacy === undefined ? significant(sigma, digits) : `about ${significant(sigma, 2)}`;
}

/** The exact arithmetic behind a report. */
export function gridWords({ grid, privacy }: Pick<Report, 'grid' | 'privacy'>): string {
  return privacy === undefined
    ? `exact integers on a ${grid}-bit grid`
    : `integers on a ${grid}-bit grid, noise added`;
}

/** What comes before all else where many responses were clipped. */
export function clippedWords({ privacy, formula }: Pick<Report, 'privacy' | 'formula'>): string[] {
  if (privacy?.clipped === undefined) return [];
  const share = Math.round(100 * privacy.clipped);
  return [
    `About ${share} % of the responses lie beyond what the study’s public units carry and were clipped: these coefficients are biased. State the public centre and SD of ${parseFormula(formula).responseLabel} in the codebook ("center", "sd").`,
  ];
}

/** What the numbers of a private report are worth, in sentences. */
export function privacyWords({ privacy, errors }: Pick<Report, 'privacy' | 'errors'>): string[] {
  if (privacy === undefined) return [];
  const { range, forecast, next } = privacy;
  return [
    `Noise for ε = ${privacy.epsilon}, δ = ${privacy.delta} was added ${placed(privacy)}: ${hidden(privacy)}.`,
    spentWords(privacy),
    `The coefficients were solved from noisy sums ${solvers[privacy.solver]}${privacy.sigma.count === 0 ? '' : '; the number of rows is noisy too'}.`,
    errors === 'noise-aware'
      ? 'Standard errors and intervals include the noise, and a margin for shrinkage and clipping.'
      : `There are no standard errors, because ${privacy.withoutErrors ?? 'none would hold'}.`,
    `Predictions are capped to the public range of the response, ${short(range[0])} to ${short(range[1])}.`,
    ...(forecast === undefined ? [] : [forecastWords(forecast)]),
    ...(next === undefined
      ? []
      : ['Another round is planned: suffice study refine makes its study from this model.']),
  ];
}

/** Rounds in which sites have sent something for a private report. */
export function roundsSent({ round = 0 }: Pick<PrivacyFacts, 'round'>): number {
  return round + 1;
}

/** A bound as its writer would have put it. */
function short(bound: number): string {
  return String(Number(bound.toPrecision(6)));
}

const solvers: Readonly<Record<PrivacyFacts['solver'], string>> = {
  cleaner: 'by a filter that knows how large the noise is',
  ridge: 'with a ridge as large as the noise asks for',
  adassp: 'with the ridge of AdaSSP',
};

function spentWords(privacy: PrivacyFacts): string {
  const { spent, rounds = 0 } = privacy;
  const much = `ε = ${significant(spent.epsilon, 3)} (μ = ${significant(spent.mu, 3)})`;
  const done = roundsSent(privacy);
  if (rounds === 0) return `This report spends ${much}.`;
  return done > rounds
    ? `This is the last of ${done} rounds; together they spend ${much}.`
    : `This is round ${done} of ${rounds + 1}; so far ${much} of it is spent.`;
}

function placed(privacy: PrivacyFacts): string {
  const { placement, noises } = privacy;
  const rounds = roundsSent(privacy);
  if (placement === 'central') {
    return `${rounds === 1 ? 'once' : `in each of ${rounds} rounds`}, to the sum over the sites`;
  }
  const each = rounds === 1 ? '' : `, in each of ${rounds} rounds`;
  return `by each site to what it sent${each} (${grouped(noises)} ${noises === 1 ? 'noise' : 'noises'} in the sum)`;
}

function hidden({ unit, rowsPerPerson = 1, protects, neighbours, mu }: PrivacyFacts): string {
  const whose =
    unit === 'row'
      ? 'any one row'
      : `any one person with up to ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'}`;
  const cases = `can be told in at most ${(100 * attackBound(mu)).toPrecision(3)} of 100 cases, where guessing is right in 50`;
  if (protects === 'labels') {
    return `which of two the response of ${whose} is ${cases}; the rest is public`;
  }
  return neighbours === 'replace-one'
    ? `which of two ${whose} is ${cases}`
    : `whether ${whose} is in the data ${cases}`;
}

function forecastWords({ expectedExcess, verdict }: NonNullable<PrivacyFacts['forecast']>): string {
  const much = `${aboutExcess(expectedExcess)} of the explained variance is expected to be lost to the noise`;
  const advice = {
    'one-shot': '',
    warn: '; more rows, fewer columns or a few more rounds would help',
    refuse: ': the model is hardly worth using',
  } as const;
  return `${much[0].toUpperCase()}${much.slice(1)}${advice[verdict]}.`;
}
