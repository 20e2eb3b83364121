import { estimatesOf } from '../statistic/estimate.ts';
import { coefficientsOf, type LinearLayout, predictorsOf } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { EstimateFusion } from '../study/study.ts';
import { grouped, significant } from '../text/number-text.ts';
import { inUserUnits } from './public-units.ts';
import { penaltyText } from './ridge-text.ts';
import { SHOWN_NUMBERS } from './sums-text.ts';

/** How sites' own estimates are combined, in plain words. */
export function estimateText({ kind, ridge = 0 }: EstimateFusion): string {
  const weights = kind === 'average' ? 'averaged by rows' : 'combined with FESC weights';
  return `each site’s own ${penaltyText({ ridge })}, ${weights} (not the pooled fit)`;
}

/** Who sees what. The covariance, n and the coefficients together determine the sums themselves. */
export function whoSeesEstimates({ covariance = false }: EstimateFusion): string[] {
  const seen = covariance
    ? [
        'The coordinator sees the coefficients of your own regression and their',
        'covariance in plain, from which sums over your rows can be worked out.',
      ]
    : ['The coordinator sees the coefficients of your own regression in plain.'];
  return [
    ...seen,
    'Everyone in the study sees the model, and of each site its name, its number of rows and its weight; where sites',
    'are few, or one leaves, the others can work out your coefficients from that.',
  ];
}

/** What the sent numbers are. */
export function sentEstimatesText(layout: LinearLayout): string[] {
  const count = coefficientsOf(layout) * layout.responses;
  const many = `the ${grouped(count)} ${count === 1 ? 'coefficient' : 'coefficients'} of your own regression`;
  return layout.estimate?.covariance === true
    ? [
        '',
        `the number of rows, ${many}`,
        'and their covariance, from which sums over your rows can be worked out.',
        'No row, no cell, no file name.',
      ]
    : ['', `the number of rows and ${many}.`, 'No row, no cell, no file name.'];
}

/** The coefficients to be sent, in the units of the site's own columns. */
export function ownCoefficients(statistic: LinearStatistic): string[] {
  const { layout } = statistic;
  const own = estimatesOf(statistic).flatMap(({ coefficients }, response) => {
    const { terms, estimates } = inUserUnits(coefficients, layout, response);
    const name = layout.columns[predictorsOf(layout) + response];
    const of = layout.responses === 1 ? '' : ` (${name})`;
    return terms.map((term, k) => `coefficient of ${term}${of} ${significant(estimates[k], 4)}`);
  });
  const rest = own.length - SHOWN_NUMBERS;
  return rest > 1 ? [...own.slice(0, SHOWN_NUMBERS), `and ${grouped(rest)} more`] : own;
}
