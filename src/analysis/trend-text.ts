import { type Ink, layOut } from '../model/text-table.ts';
import { testedColumns } from './tested-columns.ts';
import type { Trend } from './trend.ts';

/** The coefficients R would give the ordered factor. */
export function trendText({ term, levels, rows, 'df.residual': left }: Trend, ink: Ink): string {
  const names = ['', ...rows.map(({ degree }) => `${term}${degree}`)];
  return [
    ink.bold(`Trend over ${term}: ${levels.join(' < ')}`),
    ...layOut([names, ...testedColumns(rows, left)], ink),
  ].join('\n');
}
