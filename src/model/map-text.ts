import { grouped, significant } from '../text/number-text.ts';
import { gcvShare } from './gcv-share.ts';
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
    ...contactsText(report, map.further?.scores(terms)),
    ...(lost === 0 ? [] : [`${grouped(lost)} of the ${map.noun}s are combinations of the others`]),
  ];
}

/** What each contact added, if the map goes on with every contact; `before` has the scores of the earlier ones. */
function contactsText(
  report: Report,
  before: readonly (number | undefined)[] | undefined,
): string[] {
  if (before === undefined) return [];
  const scores = [...before, gcvShare(report)].map((score) =>
    score === undefined ? 'unknown' : significant(score, 4),
  );
  const now = `contact ${scores.length}: error by GCV ${scores.join(' → ')} of the variance`;
  if (before.length === 0) return [`${now}; another contact would add a layer`];
  return [`${now}; after the first it is optimistic, because the layers have seen the responses`];
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
