import type { ResultFigure } from '../paper-result.ts';
import { numberText } from './value-text.ts';

/** What a figure shows, for those who cannot see it: each series from its first value to its last. */
export function figureWords({ x, y, series }: ResultFigure): string {
  const told = series
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const [first, last] = [points[0]!, points.at(-1)!];
      return `${name}: ${numberText(first.y)} at ${numberText(first.x)}, ${numberText(last.y)} at ${numberText(last.x)}`;
    });
  return `${y.label} over ${x.label}. ${told.join('; ')}.`;
}

/** How to read a figure, in a few words under its title. */
export function readingWords({ title, kind, series }: ResultFigure): string {
  if (kind === 'histogram') return '';
  const banded = series.some(({ points }) => points.some(({ low }) => low !== undefined));
  return [
    ...(banded && !title.includes('band') ? ['bands: spread over the seeds'] : []),
    ...(series.some(({ role }) => role === 'printed') ? ['rings: printed in the paper'] : []),
  ].join('; ');
}
