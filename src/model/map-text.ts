import { grouped } from './number-text.ts';
import type { Report } from './report.ts';
import { reportedMap } from './reported-map.ts';

/** What a reader of coefficients must know who never sees the mapped columns they come from. */
export function mapWords(report: Report): string[] {
  const told = reportedMap(report);
  if (told === undefined) return [];
  const { map, terms, columns } = told;
  const width = map.width(terms, columns);
  const made = `${grouped(width)} ${width === 1 ? map.made.one : map.made.many}`;
  const loss = map.loss?.(width);
  const { original = [] } = report.responses?.[0] ?? report;
  const counted = original.some((row) => row['std.error'] !== undefined);
  const uncounted = counted ? ', and standard errors do not count that' : '';
  const lost = aliasedUnseen(report, width);
  return [
    `learnt from ${made} (${map.choices(terms)}) of ${grouped(columns)} columns${loss === undefined ? '' : `: ${loss}${uncounted}`}`,
    ...(lost === 0 ? [] : [`${grouped(lost)} of the ${map.noun}s are combinations of the others`]),
  ];
}

/** How many mapped columns are aliased, where the formula's columns are shown in their place. */
function aliasedUnseen(report: Report, width: number): number {
  const { terms = [], original } = report.responses?.[0] ?? report;
  if (original === undefined) return 0;
  const shown = new Set(original.map(({ term }) => term));
  return width - terms.filter(({ term }) => !shown.has(term)).length;
}
