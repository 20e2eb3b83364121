import type { Glance, TermRow } from '../model/inference.ts';
import type { Report } from '../model/report.ts';
import { csvText } from '../text/csv-text.ts';
import { responsesOf } from './exported-model.ts';

const termColumns = [
  'term',
  'estimate',
  'std.error',
  'statistic',
  'p.value',
  'conf.low',
  'conf.high',
] as const satisfies readonly (keyof TermRow)[];

const glanceColumns = [
  'r.squared',
  'adj.r.squared',
  'sigma',
  'statistic',
  'p.value',
  'df',
  'logLik',
  'AIC',
  'BIC',
  'null.deviance',
  'deviance',
  'df.residual',
  'nobs',
] as const satisfies readonly (keyof Glance)[];

/** The coefficients as in broom's tidy(conf.int = TRUE); `response` first where there are several. */
export function tidyCsv(report: Report): string {
  return table(
    report,
    termColumns,
    responsesOf(report).flatMap(({ response, terms }) =>
      terms.map((row) => [response, ...termColumns.map((name) => row[name])]),
    ),
  );
}

/** The fit in one line per response, as in broom's glance(). */
export function glanceCsv(report: Report): string {
  return table(
    report,
    glanceColumns,
    responsesOf(report).map(({ response, glance }) => [
      response,
      ...glanceColumns.map((name) => glance[name]),
    ]),
  );
}

type Cell = string | number | undefined;

function table(
  { responses }: Report,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const first = responses === undefined ? 1 : 0;
  return [['response', ...columns], ...rows]
    .map((cells) => `${cells.slice(first).map(csvField).join()}\r\n`)
    .join('');
}

/** A field of RFC 4180 that no spreadsheet runs; numbers have enough digits to be read back exactly. */
function csvField(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  return csvText(cell);
}
