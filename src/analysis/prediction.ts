import type { Failure } from '../failure.ts';
import { criticalValue } from '../model/errors.ts';
import { rowCount } from '../statistic/statistic.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { significant } from '../text/number-text.ts';
import type { Ink } from '../text/text-table.ts';
import { combinations, leverage } from './combination.ts';
import { noSuchName } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';
import { modelRow, OFFSET, type Row } from './right-side.ts';
import { isLeastSquares } from './submodel.ts';
import type { Asked, Topic } from './topic.ts';

/** The model at one row, as R's predict.lm: the mean, and an interval for a new observation of weight 1. */
export interface Prediction {
  readonly about: 'prediction';
  readonly at: Row;
  readonly level: number;
  readonly fitted: number;
  /** In a logistic or Poisson regression: the linear predictor. */
  readonly link?: number;
  /**
   * Standard error of the mean, or of `link` where there is one; errors and intervals are absent under a penalty, whose
   * bias they would ignore.
   */
  readonly 'std.error'?: number;
  readonly 'conf.low'?: number;
  readonly 'conf.high'?: number;
  /** Also absent with random site effects, where the site of the new row is unknown. */
  readonly 'pred.low'?: number;
  readonly 'pred.high'?: number;
  /** How far the row lies from the data: 1/n at their mean; above 3 times the average is far. Least squares only. */
  readonly leverage?: number;
  /** The average leverage of the data, p/n. */
  readonly averageLeverage?: number;
}

export interface PredictionQuestion extends Asked<'prediction'> {
  readonly at: Row;
  /** Confidence of the intervals; 0.95 unless given. */
  readonly level?: number;
}

/** Predicts at one row, given by column name: categories by level, and `.site` where sites have fixed effects. */
export function prediction(input: QueryInput, at: Row, level: number): Prediction | Failure {
  if (!(level > 0 && level < 1)) {
    return { problem: `a level of ${level} is not between 0 and 1`, remedy: 'give 0.95' };
  }
  const { fit, response } = input;
  const sites = siteCells(input, at);
  if ('problem' in sites) return sites;
  const cells = modelRow(input, sites.rest);
  if ('problem' in cells) return cells;
  const model = fit.models[response];
  const row = model.terms.map((term) => cells.get(term) ?? sites.indicators.get(term) ?? 0);
  const { estimates, errors } = combinations(fit, response, [row]);
  const linear = estimates[0] + (cells.get(OFFSET) ?? 0);
  const found = {
    about: 'prediction',
    at,
    level,
    fitted: linear,
    ...(errors === undefined ? {} : intervals(input, linear, errors, level)),
    ...distance(input, row),
  } as const;
  return fit.glm === undefined ? found : onMeanScale(found, means[fit.glm.family]);
}

const means = {
  binomial: (link: number) => 1 / (1 + Math.exp(-link)),
  poisson: Math.exp,
} as const;

/** Fitted value and interval on the scale of the mean; the standard error stays that of the link. */
function onMeanScale(found: Prediction, mean: (link: number) => number): Prediction {
  const { fitted: link, 'conf.low': low, 'conf.high': high } = found;
  return {
    ...found,
    fitted: mean(link),
    link,
    ...(low === undefined || high === undefined
      ? {}
      : { 'conf.low': mean(low), 'conf.high': mean(high) }),
  };
}

function intervals(
  { fit, response }: QueryInput,
  fitted: number,
  { covariance, freedom }: { readonly covariance: Float64Array; readonly freedom: number },
  level: number,
): Partial<Prediction> {
  const width = criticalValue(level, freedom);
  const variance = Math.max(0, covariance[0]); // rounding may make a variance of 0 negative
  const error = Math.sqrt(variance);
  const mean = {
    'std.error': error,
    'conf.low': fitted - width * error,
    'conf.high': fitted + width * error,
  };
  const { rows, terms, residualSumOfSquares } = fit.models[response];
  const left = rows - terms.length;
  if (!isLeastSquares(fit) || !(left > 0)) return mean;
  const spread = width * Math.sqrt(variance + residualSumOfSquares / left);
  return { ...mean, 'pred.low': fitted - spread, 'pred.high': fitted + spread };
}

function distance({ fit, response }: QueryInput, row: readonly number[]): Partial<Prediction> {
  const far = isLeastSquares(fit) ? leverage(fit, row) : undefined;
  if (far === undefined) return {};
  const { rows, weightSum } = fit.equations;
  const averageLeverage = fit.models[response].terms.length / rows;
  return { leverage: (far * weightSum) / rows, averageLeverage };
}

/** The site indicators at this row, and the remaining cells. */
function siteCells(
  { fit, total, sites = [] }: QueryInput,
  at: Row,
): { readonly rest: Row; readonly indicators: ReadonlyMap<string, number> } | Failure {
  const { columns, responses } = fit.equations.layout;
  const written = total.layout.columns.length - total.layout.responses;
  const own = columns.slice(written, columns.length - responses);
  const kind = fit.siteEffects?.kind ?? (own.length > 0 ? 'fixed' : undefined);
  if (kind === undefined) return { rest: at, indicators: new Map() };
  const { [SITE_COLUMN]: site, ...rest } = at;
  if (kind !== 'fixed') {
    if (site === undefined) return { rest, indicators: new Map() };
    return {
      problem: 'with random site effects the answer is for a site like these, not for one of them',
      remedy: `leave out ${SITE_COLUMN}; the report lists each site’s departure`,
    };
  }
  const filled = sites.filter(({ statistic }) => rowCount(statistic) > 0);
  const names = (fit.siteEffects?.sites ?? filled).map((listed) => listed.site).sort();
  if (site === undefined && own.length > 0) {
    return {
      problem: 'every site has an intercept of its own, and no site was given',
      remedy: `give ${SITE_COLUMN}: one of ${names.join(', ')}`,
    };
  }
  if (site !== undefined && !names.includes(String(site)))
    return noSuchName('site', String(site), names);
  return { rest, indicators: new Map([[`${SITE_COLUMN}${site}`, 1]]) };
}

/** Leverage, as a multiple of the average, above which a row is far from the data. */
const FAR = 3;

/** The mean at one row, its interval, and the interval of a new observation. */
export function predictionText(answer: Prediction, ink: Ink): string {
  const { at, fitted, link, level, leverage, averageLeverage } = answer;
  const percent = `${Number((100 * level).toPrecision(6))} %`;
  const between = (low: number | undefined, high: number | undefined) =>
    low === undefined || high === undefined
      ? undefined
      : `${significant(low)} to ${significant(high)}`;
  const mean = between(answer['conf.low'], answer['conf.high']);
  const observation = between(answer['pred.low'], answer['pred.high']);
  const error = answer['std.error'];
  const linkText = link === undefined ? '' : `,  link ${significant(link)}`;
  const ofLink = link === undefined ? '' : ' (of the link)';
  const errorText = error === undefined ? '' : `,  Std. Error ${significant(error)}${ofLink}`;
  return [
    ink.bold(
      `At ${Object.entries(at)
        .map(([name, cell]) => `${name} = ${cell}`)
        .join(', ')}`,
    ),
    `fitted ${significant(fitted)}${linkText}${errorText}`,
    ...(mean === undefined
      ? [ink.faint('no interval: the penalty makes the mean biased, or there are too few rows')]
      : [`${percent} confidence interval of the mean: ${mean}`]),
    ...(observation === undefined
      ? []
      : [`${percent} prediction interval of a new observation: ${observation}`]),
    ...(leverage === undefined || averageLeverage === undefined
      ? []
      : [
          `leverage ${significant(leverage, 3)}, the average being ${significant(averageLeverage, 3)}` +
            (leverage > FAR * averageLeverage ? ': far from the data' : ''),
        ]),
  ].join('\n');
}

export const predictionTopic: Topic<Prediction, PredictionQuestion> = {
  about: 'prediction',
  needs: 'information',
  sees: 'total',
  per: 'response',
  carries: (z) => ({
    at: z.record(z.string(), z.union([z.number(), z.string().max(1000)])),
    level: z.number().gt(0).lt(1).optional(),
  }),
  ask: (input, { at, level = 0.95 }) => prediction(input, at, level),
  text: predictionText,
};
