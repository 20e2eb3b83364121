import type { Failure } from '../failure.ts';
import { reach } from '../model/errors.ts';
import { significant } from '../model/number-text.ts';
import type { Ink } from '../model/text-table.ts';
import { rowCount } from '../statistic/statistic.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { combinations, leverage } from './combination.ts';
import type { Evidence } from './evidence.ts';
import { noSuchName } from './model-terms.ts';
import { modelRow, type Row } from './right-side.ts';
import { isLeastSquares } from './submodel.ts';
import type { Asked, Topic } from './topic.ts';

/** The model at one row, as R's predict.lm: its mean and where a new observation of weight 1 would fall. */
export interface Prediction {
  readonly about: 'prediction';
  readonly at: Row;
  readonly level: number;
  readonly fitted: number;
  /** Of a logistic or Poisson regression: what `fitted` was before the link was undone. */
  readonly link?: number;
  /** Of the mean, or of `link` where there is one; errors and intervals are absent under a penalty, whose bias they would ignore. */
  readonly 'std.error'?: number;
  readonly 'conf.low'?: number;
  readonly 'conf.high'?: number;
  /** Absent with random site effects too: the new row's site is not known. */
  readonly 'pred.low'?: number;
  readonly 'pred.high'?: number;
  /** How far the row lies from the data, n⁻¹ being their middle; above 3 times the average is far. Least squares only. */
  readonly leverage?: number;
  /** The average leverage of the data, p/n. */
  readonly averageLeverage?: number;
}

export interface PredictionQuestion extends Asked<'prediction'> {
  readonly at: Row;
  /** Confidence of the intervals; 0.95 unless given. */
  readonly level?: number;
}

/** Predicts at one row, given by column name; categories by level, `.site` where sites have fixed effects. */
export function prediction(evidence: Evidence, at: Row, level: number): Prediction | Failure {
  if (!(level > 0 && level < 1)) {
    return { problem: `a level of ${level} is not between 0 and 1`, remedy: 'give 0.95' };
  }
  const { fit, response } = evidence;
  const sites = siteCells(evidence, at);
  if ('problem' in sites) return sites;
  const cells = modelRow(evidence, sites.rest);
  if ('problem' in cells) return cells;
  const model = fit.models[response];
  const row = model.terms.map((term) => cells.get(term) ?? sites.indicators.get(term) ?? 0);
  const { estimates, errors } = combinations(fit, response, [row]);
  const linear = estimates[0];
  const found = {
    about: 'prediction',
    at,
    level,
    fitted: linear,
    ...(errors === undefined ? {} : intervals(evidence, linear, errors, level)),
    ...distance(evidence, row),
  } as const;
  return fit.glm === undefined ? found : onMeanScale(found, means[fit.glm.family]);
}

const means = {
  binomial: (link: number) => 1 / (1 + Math.exp(-link)),
  poisson: Math.exp,
} as const;

/** Fitted value and interval through the inverse of the link; the standard error stays the link's. */
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
  { fit, response }: Evidence,
  fitted: number,
  { covariance, freedom }: { readonly covariance: Float64Array; readonly freedom: number },
  level: number,
): Partial<Prediction> {
  const width = reach(level, freedom);
  const variance = Math.max(0, covariance[0]); // rounding of a covariance that says 0
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

function distance({ fit, response }: Evidence, row: readonly number[]): Partial<Prediction> {
  const far = isLeastSquares(fit) ? leverage(fit, row) : undefined;
  if (far === undefined) return {};
  const { rows, weightSum } = fit.equations;
  const averageLeverage = fit.models[response].terms.length / rows;
  return { leverage: (far * weightSum) / rows, averageLeverage };
}

/** The indicators of the sites' own intercepts at this row, and the cells that are left. */
function siteCells(
  { fit, total, parts = [] }: Evidence,
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
  const filled = parts.filter(({ statistic }) => rowCount(statistic) > 0);
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

/** A row further out than this many times the average is one the data say little about. */
const FAR = 3;

/** The mean at one row, its interval, and where a new observation would fall. */
export function predictionText(answer: Prediction, ink: Ink): string {
  const { at, fitted, link, level, leverage, averageLeverage } = answer;
  const percent = `${Number((100 * level).toPrecision(6))} %`;
  const between = (low: number | undefined, high: number | undefined) =>
    low === undefined || high === undefined
      ? undefined
      : `${significant(low)} to ${significant(high)}`;
  const mean = between(answer['conf.low'], answer['conf.high']);
  const fresh = between(answer['pred.low'], answer['pred.high']);
  const error = answer['std.error'];
  return [
    ink.bold(
      `At ${Object.entries(at)
        .map(([name, cell]) => `${name} = ${cell}`)
        .join(', ')}`,
    ),
    `fitted ${significant(fitted)}${link === undefined ? '' : `,  link ${significant(link)}`}${error === undefined ? '' : `,  Std. Error ${significant(error)}${link === undefined ? '' : ' (of the link)'}`}`,
    ...(mean === undefined
      ? [
          ink.faint(
            'no interval: the penalty makes the mean biased, or nothing is left to judge it by',
          ),
        ]
      : [`${percent} confidence interval of the mean: ${mean}`]),
    ...(fresh === undefined
      ? []
      : [`${percent} prediction interval of a new observation: ${fresh}`]),
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
  ask: (evidence, { at, level = 0.95 }) => prediction(evidence, at, level),
  text: predictionText,
};
