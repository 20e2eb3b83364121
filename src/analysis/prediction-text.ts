import { significant } from '../model/number-text.ts';
import type { Ink } from '../model/text-table.ts';
import type { Prediction } from './prediction.ts';

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
