import type { Failure } from '../failure.ts';
import { studentTail, studentTailLog } from '../numeric/distributions.ts';
import { probability } from '../text/number-text.ts';
import { alignedColumn, type Ink, layOut, numberColumn } from '../text/text-table.ts';
import type { QueryInput } from './query-input.ts';
import { plainFit } from './submodel.ts';
import type { Topic } from './topic.ts';

/** Correlation of the response with each column, the others held fixed, by least squares over the pooled rows. */
export interface PartialCorrelations {
  readonly about: 'partial-correlations';
  readonly terms: readonly {
    readonly term: string;
    readonly partial: number;
    /** Semipartial: of the raw response with the rest of the column. */
    readonly part: number;
    readonly 'p.value': number;
  }[];
  /** Degrees of freedom of the t test that a partial correlation is zero. */
  readonly 'df.residual': number;
}

/** r² = q/(q + RSS) and q/TSS, where q = b²/(S⁻¹)ⱼⱼ is the sum of squares that the column adds. */
export function partialCorrelations(input: QueryInput): PartialCorrelations | Failure {
  const fit = plainFit(input);
  if ('problem' in fit) return fit;
  const model = fit.models[input.response];
  const freedom = model.rows - model.terms.length;
  if (!(freedom > 0)) {
    return {
      problem: `${model.rows} rows are too few for ${model.terms.length} coefficients`,
      remedy: 'use fewer terms, or wait for more rows',
    };
  }
  const written = input.total.layout.columns.length - 1 - input.total.layout.responses;
  const first = model.intercept ? 1 : 0;
  const { residualSumOfSquares: rest, totalSumOfSquares: all } = model;
  const terms = fit.solution.kept.flatMap((column, k) => {
    if (column >= written) return [];
    const estimate = model.estimates[k + first];
    const added = estimate ** 2 / model.unscaledVariances[k + first];
    const share = (whole: number) =>
      whole > 0 ? Math.sign(estimate) * Math.sqrt(Math.min(1, added / whole)) : 0;
    const statistic = Math.sqrt((added * freedom) / rest);
    return [
      {
        term: model.terms[k + first],
        partial: share(added + rest),
        part: share(all),
        'p.value': added === 0 ? 1 : studentTail(statistic, freedom),
      },
    ];
  });
  return { about: 'partial-correlations', terms, 'df.residual': freedom };
}

/** Partial and semipartial correlations with the response. */
export function partialCorrelationsText(answer: PartialCorrelations, ink: Ink): string {
  const { terms, 'df.residual': freedom } = answer;
  const statistic = (r: number) => Math.abs(r) * Math.sqrt(freedom / (1 - r * r));
  const title = ink.bold('Correlations with the response, the other columns held fixed');
  if (terms.length === 0) return `${title}\nThe model has no slopes.`;
  return [
    title,
    ...layOut(
      [
        ['', ...terms.map(({ term }) => term)],
        numberColumn(
          'partial',
          terms.map(({ partial }) => partial),
          4,
        ),
        numberColumn(
          'part',
          terms.map(({ part }) => part),
          4,
        ),
        alignedColumn(
          'Pr(>|t|)',
          terms.map(({ partial }) => probability(studentTailLog(statistic(partial), freedom))),
        ),
      ],
      ink,
    ),
  ].join('\n');
}

export const partialCorrelationsTopic: Topic<PartialCorrelations> = {
  about: 'partial-correlations',
  needs: 'sums',
  sees: 'total',
  per: 'response',
  ask: partialCorrelations,
  text: partialCorrelationsText,
};
