import { grouped, significant } from './number-text.ts';
import type { PrivacyFacts } from './privacy-facts.ts';
import type { Report } from './report.ts';

/** How many rows a report is of: "1,234", or "about 1,234" where that number is noisy. */
export function rowsWords({ n, privacy }: Pick<Report, 'n' | 'privacy'>): string {
  return `${(privacy?.sigma.count ?? 0) > 0 ? 'about ' : ''}${grouped(n)}`;
}

/** What the numbers of a private report are worth, in sentences. */
export function privacyWords({ privacy, errors }: Pick<Report, 'privacy' | 'errors'>): string[] {
  if (privacy === undefined) return [];
  const { range, forecast, spent, solver, round, rounds, next } = privacy;
  const whole = rounds !== undefined;
  return [
    `Noise for ε = ${privacy.epsilon}, δ = ${privacy.delta} was added ${placed(privacy)}, so that ${hidden(privacy)}.`,
    whole
      ? `This is round ${(round ?? 0) + 1} of ${rounds + 1}; so far ε = ${significant(spent.epsilon, 3)} of it is spent (μ = ${significant(spent.mu, 3)}).`
      : `This report spends ε = ${significant(spent.epsilon, 3)} (μ = ${significant(spent.mu, 3)}).`,
    `Coefficients${privacy.sigma.count === 0 ? '' : ' and the number of rows'} are noisy; the coefficients were ${solvers[solver]}.`,
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

/** A bound as its writer would have put it. */
function short(bound: number): string {
  return String(Number(bound.toPrecision(6)));
}

const solvers: Readonly<Record<PrivacyFacts['solver'], string>> = {
  cleaner: 'solved for by a filter that knows how large the noise is',
  ridge: 'solved for with a ridge as large as the noise asks for',
  adassp: 'solved for with the ridge of AdaSSP',
};

function placed({ placement, noises }: PrivacyFacts): string {
  return placement === 'central'
    ? 'once, to the sum over the sites'
    : `by each site to what it sent (${grouped(noises)} ${noises === 1 ? 'noise' : 'noises'} in the sum)`;
}

function hidden({ unit, rowsPerPerson = 1, protects, neighbours }: PrivacyFacts): string {
  const whose =
    unit === 'row'
      ? 'any one row'
      : `any one person with up to ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'}`;
  if (protects === 'labels') return `the response of ${whose} stays hidden; the rest is public`;
  return neighbours === 'replace-one'
    ? `what ${whose} holds stays hidden`
    : `whether ${whose} is in the data stays hidden`;
}

function forecastWords({ expectedExcess, verdict }: NonNullable<PrivacyFacts['forecast']>): string {
  const much = `About ${significant(100 * expectedExcess, 2)} % of the explained variance is expected to be lost to the noise`;
  const advice = {
    'one-shot': '',
    warn: '; more rows, fewer columns or a few more rounds would help',
    refuse: ': the model is hardly worth using',
  } as const;
  return `${much}${advice[verdict]}.`;
}
