import { grouped } from '../text/number-text.ts';
import type { TermRow } from './inference.ts';
import type { Report } from './report.ts';
import { reportedMap } from './reported-map.ts';

/** What a reader of the coefficients must know about the feature map behind them. */
export function mapText(report: Report): string[] {
  const reported = reportedMap(report);
  if (reported === undefined) return [];
  const { map, terms, columns } = reported;
  const width = map.width(terms, columns);
  const made = `${grouped(width)} ${width === 1 ? map.made.one : map.made.many}`;
  const loss = map.loss?.(width);
  const { original = [] } = report.responses?.[0] ?? report;
  const hasErrors = original.some((row) => row['std.error'] !== undefined);
  const ignored = hasErrors ? ', and standard errors ignore this' : '';
  const lost = aliasedUnseen(report, width);
  return [
    `learnt from ${made} (${map.choices(terms)}) of ${grouped(columns)} columns${loss === undefined ? '' : `: ${loss}${ignored}`}`,
    ...(lost === 0 ? [] : [`${grouped(lost)} of the ${map.noun}s are combinations of the others`]),
  ];
}

/** The terms without those of a feature map, which are named by its kind and a number. */
export function readableTerms(report: Report, terms: readonly TermRow[]): readonly TermRow[] {
  const kind = reportedMap(report)?.map.kind;
  if (kind === undefined) return terms;
  return terms.filter(
    ({ term }) => !(term.startsWith(kind) && /^\d+$/.test(term.slice(kind.length))),
  );
}

/** Number of aliased mapped columns, where the formula's columns are shown in their place. */
function aliasedUnseen(report: Report, width: number): number {
  const { terms = [], original } = report.responses?.[0] ?? report;
  if (original === undefined) return 0;
  const shown = new Set(original.map(({ term }) => term));
  return width - terms.filter(({ term }) => !shown.has(term)).length;
}
