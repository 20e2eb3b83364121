import { grouped, significant } from '../text/number-text.ts';
import { type Ink, layOut, layOutBlocks, plainInk } from '../text/text-table.ts';
import type { Curve, Evaluation } from './evaluation.ts';
import type { Confidence, ReliabilityBin } from './evaluation-figures.ts';

/** Confusion table, rates, ROC area, and calibration. */
export function evaluationText(result: Evaluation, ink: Ink = plainInk): string {
  const { n, files, accuracy, curves, bins, logLoss, confidence } = result;
  const margin = result['accuracy.margin'];
  return [
    ink.bold(`${grouped(n)} held-out rows from ${files} ${files === 1 ? 'file' : 'files'}`),
    '',
    ...(confidence === undefined ? fewLines(result, ink) : manyLines(result, ink)),
    '',
    `Accuracy ${share(accuracy)}${margin === undefined ? '' : ` ± ${share(margin)}, since few errors of a class are hidden`},  log loss ${significant(logLoss, 4)}`,
    ...(confidence === undefined ? [] : ['', ...confidenceLines(confidence, ink)]),
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

function share(value: number | undefined): string {
  return value === undefined ? '' : `${(100 * value).toFixed(1)} %`;
}

/** A table with a row for each class. */
function fewLines({ label, levels, confusion, classes }: Evaluation, ink: Ink): string[] {
  return layOut(
    [
      [label, ...levels],
      ...levels.map((level, j) => [`→ ${level}`, ...confusion.map((row) => grouped(row[j]))]),
      ['recall', ...classes.map(({ recall }) => share(recall))],
      ['precision', ...classes.map(({ precision }) => share(precision))],
      ['F1', ...classes.map(({ f1 }) => share(f1))],
    ],
    ink,
  );
}

/** The figures of each class and what it is taken for most often, then the table of all classes; no number where there are no rows. */
function manyLines(
  { label, levels, confusion, classes, elsewhere = [] }: Evaluation,
  ink: Ink,
): string[] {
  const count = (rows: number) => (rows === 0 ? '·' : grouped(rows));
  const takenFor = classes.map((_, i) => {
    const others = levels
      .map((level, j) => ({ level, rows: i === j ? 0 : confusion[i][j] }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.rows - a.rows);
    return others
      .slice(0, 3)
      .map(({ level, rows }) => `${level} ${grouped(rows)}`)
      .join(', ');
  });
  const widest = Math.max(...takenFor.map((text) => text.length), 0);
  const table = layOut(
    [
      [label, ...levels],
      ['rows', ...classes.map(({ n }) => grouped(n))],
      ['recall', ...classes.map(({ recall }) => share(recall))],
      ['precision', ...classes.map(({ precision }) => share(precision))],
      ['F1', ...classes.map(({ f1 }) => share(f1))],
      ['taken for'.padEnd(widest), ...takenFor.map((text) => text.padEnd(widest))],
    ],
    ink,
  );
  const matrix = layOutBlocks(
    [
      ['', ...levels],
      ...levels.map((level, j) => [`→ ${level}`, ...confusion.map((row) => count(row[j]))]),
      ...(elsewhere.some((rows) => rows > 0)
        ? [['→ others', ...elsewhere.map((rows) => count(rows))]]
        : []),
    ],
    ink,
  );
  return [...table, '', ...matrix];
}

function confidenceLines({ reliability, error }: Confidence, ink: Ink): string[] {
  return [
    ink.bold('How sure it is of the class, and how often it is right'),
    ...reliabilityTable('sure', 'right', reliability, ink),
    `Calibration error ${significant(error, 3)}`,
  ];
}

function reliabilityTable(
  predicted: string,
  observed: string,
  reliability: readonly ReliabilityBin[],
  ink: Ink,
): string[] {
  const edges = ({ low, high }: ReliabilityBin) =>
    `${significant(low, 3)} – ${significant(high, 3)}`;
  return layOut(
    [
      [predicted, ...reliability.map(edges)],
      [observed, ...reliability.map((bin) => bin.observed.toFixed(3))],
      ['rows', ...reliability.map((bin) => grouped(bin.n))],
    ],
    ink,
  );
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
    ...reliabilityTable('predicted', 'observed', reliability, ink),
  ];
}
