import { defined } from '../defined.ts';
import { composed } from '../privacy/budget.ts';
import { epsilonOf } from '../privacy/calibration.ts';
import { forecastFor } from '../privacy/forecast.ts';
import { mechanismOf } from '../privacy/mechanism.ts';
import { PRIVATE_GRID } from '../statistic/linear-layout.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { waldRows } from './inference.ts';
import type { PrivacyFacts, PrivateFit } from './private-fit.ts';
import type { Report, SiteLine } from './report.ts';

/** The public report of a private fit: no number in it is more exact than the noise allows. */
export function createPrivateReport(
  fit: PrivateFit,
  terms: PrivacyTerms,
  context: {
    readonly formula: string;
    /** Names only: the report hides the number of rows of a site. */
    readonly sites: readonly Pick<SiteLine, 'name'>[];
    readonly digest: string;
    /** The response's public range. */
    readonly range: readonly [number, number];
  },
): Report {
  const { formula, sites, digest, range } = context;
  const rows = Math.max(0, Math.round(fit.rows));
  const hasErrors = 'covariance' in fit.errors;
  return {
    schema: 'suffice/report@1',
    formula,
    n: rows,
    sites: sites.map(({ name }) => ({ name })),
    terms: waldRows(fit, 'covariance' in fit.errors ? fit.errors : undefined),
    glance: { nobs: rows, ...defined({ sigma: fit.residual }) },
    ...(hasErrors ? { errors: 'noise-aware', freedom: 'normal' } : {}),
    privacy: privacyFacts(fit, terms, range),
    arithmetic: 'exact',
    grid: PRIVATE_GRID,
    aliased: [],
    digest,
  };
}

function privacyFacts(
  fit: PrivateFit,
  terms: PrivacyTerms,
  range: readonly [number, number],
): PrivacyFacts {
  const { epsilon, delta, unit, rowsPerPerson, rounds = 0 } = terms;
  const { mu } = mechanismOf(terms, fit.columns);
  const spent = spentBy(fit, terms);
  const { expectedExcess, verdict } = forecastFor(terms, {
    rows: Math.max(1, fit.rows),
    columns: fit.columns,
    sites: fit.noises,
  });
  return {
    epsilon,
    delta,
    mu,
    unit,
    ...defined({ rowsPerPerson }),
    neighbours: terms.neighbours ?? 'add-remove',
    placement: terms.placement ?? 'central',
    protects: terms.protects ?? 'rows',
    spent: { mu: spent, epsilon: epsilonOf(spent, delta) },
    ...(rounds === 0 ? {} : { round: fit.round, rounds }),
    sigma: fit.sigma,
    noises: fit.noises,
    solver: fit.solver,
    kept: fit.kept.mean,
    range,
    ...defined({ clipped: fit.clipped }),
    ...(rounds === 0 && fit.clipped === undefined ? { forecast: { expectedExcess, verdict } } : {}),
    ...('none' in fit.errors ? { withoutErrors: fit.errors.none } : {}),
    ...defined({ next: fit.next }),
  };
}

/** μ of this report and of the rounds before it, for the protected unit. */
function spentBy({ round, columns }: PrivateFit, terms: PrivacyTerms): number {
  const { refinement, ...first } = terms;
  const rounds = Array.from({ length: round + 1 }, (_, t) =>
    t === 0 || refinement === undefined
      ? first
      : { ...first, refinement: { ...refinement, round: t } },
  );
  return composed(rounds.map((one) => mechanismOf(one, columns).spent));
}
