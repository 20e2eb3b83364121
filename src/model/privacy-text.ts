import { guessBound } from '../privacy/budget.ts';
import { parseFormula } from '../study/formula.ts';
import { aboutExcess, grouped, significant } from '../text/number-text.ts';
import type { PrivacyFacts } from './private-fit.ts';
import type { Report } from './report.ts';

/** The number of rows: "1,234", or "about 1,234" where it is noisy. */
export function rowsText({ n, privacy }: Pick<Report, 'n' | 'privacy'>): string {
  return `${(privacy?.sigma.count ?? 0) > 0 ? 'about ' : ''}${grouped(n)}`;
}

/** A residual SD in the given number of digits; in a private report, in two. */
export function residualText(
  sigma: number,
  { privacy }: Pick<Report, 'privacy'>,
  digits: number,
): string {
  return privacy === undefined ? significant(sigma, digits) : `about ${significant(sigma, 2)}`;
}

/** The exact arithmetic behind a report. */
export function gridText({ grid, privacy }: Pick<Report, 'grid' | 'privacy'>): string {
  return privacy === undefined
    ? `exact integers on a ${grid}-bit grid`
    : `integers on a ${grid}-bit grid, noise added`;
}

/** The warning that is shown first where many responses were clipped. */
export function clippedText({ privacy, formula }: Pick<Report, 'privacy' | 'formula'>): string[] {
  if (privacy?.clipped === undefined) return [];
  const share = Math.round(100 * privacy.clipped);
  return [
    `About ${share} % of the responses lie beyond what the study’s public units carry and were clipped: these coefficients are biased. State the public centre and SD of ${parseFormula(formula).responseLabel} in the codebook ("center", "sd").`,
  ];
}

/** What a private report promises and what its numbers are worth, in sentences. */
export function privacyText({ privacy, errors }: Pick<Report, 'privacy' | 'errors'>): string[] {
  if (privacy === undefined) return [];
  const { range, forecast, next } = privacy;
  return [
    `Noise for ε = ${privacy.epsilon}, δ = ${privacy.delta} was added ${placed(privacy)}: ${hidden(privacy)}.`,
    spentText(privacy),
    `The coefficients were solved from noisy sums ${solvers[privacy.solver]}${privacy.sigma.count === 0 ? '' : '; the number of rows is noisy too'}.`,
    errors === 'noise-aware'
      ? 'Standard errors and intervals include the noise, and a margin for shrinkage and clipping.'
      : `There are no standard errors, because ${privacy.withoutErrors ?? 'none would hold'}.`,
    `Predictions are capped to the public range of the response, ${short(range[0])} to ${short(range[1])}.`,
    ...(forecast === undefined ? [] : [forecastText(forecast)]),
    ...(next === undefined
      ? []
      : ['Another round is planned: suffice study refine makes its study from this model.']),
  ];
}

/** Number of rounds in which sites sent something for a private report. */
export function roundsSent({ round = 0 }: Pick<PrivacyFacts, 'round'>): number {
  return round + 1;
}

/** A bound in at most six digits, as a person would write it. */
function short(bound: number): string {
  return String(Number(bound.toPrecision(6)));
}

const solvers: Readonly<Record<PrivacyFacts['solver'], string>> = {
  cleaner: 'by a filter that knows how large the noise is',
  ridge: 'with a ridge as large as the noise asks for',
  adassp: 'with the ridge of AdaSSP',
};

function spentText(privacy: PrivacyFacts): string {
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
  const count = `${grouped(noises)} ${noises === 1 ? 'noise' : 'noises'} in the sum`;
  return placement === 'local'
    ? `by each site to what it sent${each} (${count})`
    : `by the helper and by the coordinator to the sum over the sites${each} (${count}; neither knows the other’s)`;
}

function hidden({ unit, rowsPerPerson = 1, protects, neighbours, mu }: PrivacyFacts): string {
  const whose =
    unit === 'row'
      ? 'any one row'
      : `any one person with up to ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'}`;
  const cases = `can be guessed correctly in at most ${(100 * guessBound(mu)).toPrecision(3)} of 100 cases (50 by chance)`;
  if (protects === 'labels') {
    return `which of two values the response of ${whose} has ${cases}; the rest is public`;
  }
  return neighbours === 'replace-one'
    ? `which of two values ${whose} has ${cases}`
    : `whether ${whose} is in the data ${cases}`;
}

function forecastText({ expectedExcess, verdict }: NonNullable<PrivacyFacts['forecast']>): string {
  const much = `${aboutExcess(expectedExcess)} of the explained variance is expected to be lost to the noise`;
  const remedies = {
    'one-shot': '',
    warn: '; more rows, fewer columns or a few more rounds would help',
    refuse: ': the model is hardly worth using',
  } as const;
  return `${much[0].toUpperCase()}${much.slice(1)}${remedies[verdict]}.`;
}
