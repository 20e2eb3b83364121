import { grouped } from './number-text.ts';
import type { Report } from './report.ts';
import { reportedMap } from './reported-map.ts';

/** What a reader of coefficients must know who never sees the mapped columns they come from. */
export function mapWords(report: Report): string[] {
  const told = reportedMap(report);
  if (told === undefined) return [];
  const { map, terms, columns } = told;
  const width = map.width(terms, columns);
  const { terms: rows = [], original } = report.responses?.[0] ?? report;
  const loss = map.loss?.(width);
  const counted = original?.some((row) => row['std.error'] !== undefined) ?? false;
  const uncounted = counted ? ', and standard errors do not count that' : '';
  const made = `${grouped(width)} ${width === 1 ? map.made.one : map.made.many}`;
  return [
    `learnt from ${made} (${map.choices(terms)}) of ${grouped(columns)} columns${loss === undefined ? '' : `: ${loss}${uncounted}`}`,
    ...lostWords(),
  ];

  /** Where the formula's columns are shown, nobody sees which of the mapped ones are aliased. */
  function lostWords(): string[] {
    if (original === undefined) return [];
    const shown = new Set(original.map(({ term }) => term));
    const lost = width - rows.filter(({ term }) => !shown.has(term)).length;
    return lost === 0
      ? []
      : [`${grouped(lost)} of the ${map.noun}s are combinations of the others`];
  }
}
