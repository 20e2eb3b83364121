import { grouped, significant } from '../text/number-text.ts';
import { type Ink, layOut, plainInk } from '../text/text-table.ts';
import type { Curve, Evaluation } from './evaluation.ts';

/** Confusion table, rates, ROC area, and calibration. */
export function evaluationText(result: Evaluation, ink: Ink = plainInk): string {
  const { label, levels, confusion, classes, n, files, accuracy, curves, bins } = result;
  const share = (value: number | undefined) =>
    value === undefined ? '' : `${(100 * value).toFixed(1)} %`;
  const table = layOut(
    [
      [label, ...levels],
      ...levels.map((level, j) => [`→ ${level}`, ...confusion.map((row) => grouped(row[j]))]),
      ['recall', ...classes.map(({ recall }) => share(recall))],
      ['precision', ...classes.map(({ precision }) => share(precision))],
    ],
    ink,
  );
  return [
    ink.bold(`${grouped(n)} held-out rows from ${files} ${files === 1 ? 'file' : 'files'}`),
    '',
    ...table,
    '',
    `Accuracy ${share(accuracy)}`,
    ...curves.flatMap((curve) => ['', ...curveLines(curve, result, ink)]),
    '',
    result.scores === 'score'
      ? 'Scores are fitted indicators cut to [0, 1], not probabilities'
      : `Probabilities are rounded to 1/${bins}, the width of a bin`,
    ...(result.merged
      ? ['A site merged small counts with their neighbours: all numbers here are approximate']
      : []),
    ink.faint(`model ${result.model}`),
    '',
  ].join('\n');
}

function curveLines(curve: Curve, { levels, label }: Evaluation, ink: Ink): string[] {
  const { level, auc, brier, reliability, recalibration } = curve;
  const against = levels.length === 2 ? '' : ' against the rest';
  const area =
    auc === undefined
      ? 'no ROC curve: only one side has rows'
      : `AUC ${significant(auc, 4)} ± ${significant(curve['auc.margin'] ?? 0, 2)}`;
  return [
    ink.bold(`${label} = ${level}${against}`),
    `${area},  Brier score ${significant(brier, 4)}`,
    recalibration === undefined
      ? 'No recalibration: the bins separate the classes, or one class has no rows'
      : `Recalibrated: logit = ${significant(recalibration.intercept, 4)} + ${significant(recalibration.slope, 4)} · logit(predicted)`,
    ...layOut(
      [
        [
          'predicted',
          ...reliability.map(({ low, high }) => `${significant(low, 3)} – ${significant(high, 3)}`),
        ],
        ['observed', ...reliability.map(({ observed }) => observed.toFixed(3))],
        ['rows', ...reliability.map((bin) => grouped(bin.n))],
      ],
      ink,
    ),
  ];
}
