import { defined } from '../defined.ts';
import { readableTerms } from '../model/map-text.ts';
import { modelNames } from '../model/model-names.ts';
import type { ResponseReport } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import { significant } from '../text/number-text.ts';
import { answerAbout, type ExportedModel, isBiased } from './exported-model.ts';
import { figure } from './html-table.ts';
import { type ForestFigureRow, forest } from './svg/forest.ts';
import { heatMap } from './svg/heat-map.ts';
import { selectionCurve } from './svg/selection-curve.ts';
import { trace } from './svg/trace.ts';

const NORMAL_REACH = 1.959964;
const MOST_ROWS = 40;
const MOST_CELLS = 30;

interface Uncertain {
  readonly estimate: number;
  readonly 'std.error'?: number;
}

/** The normal 95 % interval of an estimate, where its error is known. */
export function interval(
  estimate: number,
  error: number | undefined | null,
): { readonly low?: number; readonly high?: number } {
  if (error === undefined || error === null || !Number.isFinite(error)) return {};
  return { low: estimate - NORMAL_REACH * error, high: estimate + NORMAL_REACH * error };
}

/** Slopes with their intervals, per standard deviation where available; largest first. */
export function slopeFigure(model: ExportedModel, report: ResponseReport): string[] {
  const { response } = report;
  // Standardised slopes of a mapped model belong to mapped columns, which mean nothing to a reader.
  const standardized =
    reportedMap(model.report) === undefined
      ? answerAbout(model, 'standardized', response || undefined)
      : undefined;
  const biased = isBiased(model);
  const { columns: texts } = modelNames(model.study, model.report);
  const reach = (row: Uncertain) => (biased ? {} : interval(row.estimate, row['std.error']));
  const rows: readonly ForestFigureRow[] =
    standardized?.terms.map((row) => ({
      label: texts.get(row.term) ?? row.term,
      estimate: row.estimate,
      ...reach(row),
    })) ??
    readableTerms(model.report, report.terms)
      .filter(({ term }) => term !== '(Intercept)')
      .map((row) => ({
        label: texts.get(row.term) ?? row.term,
        estimate: row.estimate,
        ...(row['conf.low'] === undefined || row['conf.high'] === undefined
          ? reach(row)
          : { low: row['conf.low'], high: row['conf.high'] }),
      }));
  if (rows.length === 0) return [];
  const shown = [...rows]
    .sort((a, b) => Math.abs(b.estimate) - Math.abs(a.estimate))
    .slice(0, MOST_ROWS);
  const title = standardized === undefined ? 'Slopes' : 'Slopes per standard deviation';
  const explanation = [
    standardized === undefined ? 'in their own units' : 'SDs of the response per SD of the column',
    ...(shown.some(({ low }) => low !== undefined) ? ['lines are 95 % intervals'] : []),
    ...(rows.length > shown.length ? [`the ${shown.length} largest of ${rows.length}`] : []),
  ].join('; ');
  const largest = shown[0]!;
  const picture = forest({
    title,
    description: `${rows.length} slopes; the largest is ${largest.label} with ${significant(largest.estimate, 3)}.`,
    rows: shown,
    reference: 0,
    axis: standardized === undefined ? 'estimate' : 'standard deviations',
  });
  return [figure(title, explanation, picture)];
}

/** Slopes along the penalty. */
export function pathFigure(model: ExportedModel, response: string): string[] {
  const path = answerAbout(model, 'path', response || undefined);
  if (path === undefined || path.points.length < 2 || path.terms.length === 0) return [];
  const { ridge, lasso } = model.report;
  const chosen = path.kind === 'ridge' ? ridge?.value : lasso?.lambda;
  const { short } = modelNames(model.study, model.report);
  const title = path.kind === 'ridge' ? 'Ridge trace' : 'Lasso path';
  const picture = trace({
    title,
    description: `Slopes of ${path.terms.length} columns per standard deviation, from a weak penalty to a strong one.`,
    names: path.terms.map((term) => short.get(term) ?? term),
    points: path.points.map(({ penalty, coefficients }) => ({
      penalty,
      values: coefficients.map((slope, k) => slope * (path.scales[k] ?? 1)),
    })),
    ...defined({ chosen }),
    axis: path.kind === 'ridge' ? 'ridge, weak to strong' : 'lambda, weak to strong',
  });
  const mark = chosen !== undefined && chosen > 0 ? '; the dashed line is the penalty in use' : '';
  return [figure(title, `slopes per SD of their column${mark}`, picture)];
}

/** The curve a penalty was chosen from. */
export function selectionFigure({ report }: ExportedModel): string[] {
  const { selection, ridge, lasso } = report;
  const chosen = ridge?.value ?? lasso?.lambda;
  if (selection === undefined || selection.length < 2 || chosen === undefined) return [];
  const title = 'How the penalty was chosen';
  const apart = ridge?.minimum !== undefined && ridge.minimum !== chosen;
  const explanation = [
    'smaller is better; the dashed line is the chosen one',
    ...(apart ? ['the ring is the smallest score'] : []),
    ...(ridge?.flat === undefined ? [] : ['penalties in the tinted band score about as well']),
    ...(selection.some(({ error }) => error !== undefined) ? ['bars are one standard error'] : []),
  ].join('; ');
  const picture = selectionCurve({
    title,
    description: `Score over ${selection.length} penalties; ${significant(chosen, 3)} was chosen.`,
    points: selection,
    chosen,
    ...(apart ? { minimum: ridge.minimum } : {}),
    ...defined({ flat: ridge?.flat }),
  });
  return [figure(title, explanation, picture)];
}

/** Correlations of the pooled columns; of very many, those that correlate most with the last, the response. */
export function correlationFigure(model: ExportedModel): string[] {
  const description = answerAbout(model, 'description');
  if (description === undefined || description.columns.length < 2) return [];
  const { columns, correlations } = description;
  const last = columns.length - 1;
  const { short } = modelNames(model.study, model.report);
  const nameOf = (k: number) => short.get(columns[k]!.column) ?? columns[k]!.column;
  const kept = [...columns.keys()]
    .slice(0, -1)
    .sort((a, b) => Math.abs(correlations[last]![b] ?? 0) - Math.abs(correlations[last]![a] ?? 0))
    .slice(0, MOST_CELLS - 1)
    .sort((a, b) => a - b)
    .concat(last);
  const title = 'Correlations';
  const explanation = [
    'green is positive, orange is negative',
    ...(kept.length < columns.length ? [`${kept.length} of ${columns.length} columns`] : []),
  ].join('; ');
  const picture = heatMap({
    title,
    description: `Correlations of ${kept.length} columns; the last is ${nameOf(last)}.`,
    names: kept.map(nameOf),
    values: kept.map((i) => kept.map((j) => correlations[i]![j] ?? null)),
  });
  return [figure(title, explanation, picture)];
}
