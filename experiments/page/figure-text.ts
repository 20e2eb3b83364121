import type { ResultFigure } from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';

/** A figure as text, for people who cannot see it: each series with its first and last value. */
export function figureText({ x, y, series }: ResultFigure): string {
  const ends = series
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const [first, last] = [points[0]!, points.at(-1)!];
      return `${name}: ${resultNumberText(first.y)} at ${resultNumberText(first.x)}, ${resultNumberText(last.y)} at ${resultNumberText(last.x)}`;
    });
  return `${y.label} over ${x.label}. ${ends.join('; ')}.`;
}

/** How to read a figure, as a short text under its title. */
export function figureReadingText({ title, kind, series }: ResultFigure): string {
  if (kind === 'histogram') return '';
  const banded = series.some(({ points }) => points.some(({ low }) => low !== undefined));
  return [
    ...(banded && !title.includes('band') ? ['bands: spread over the seeds'] : []),
    ...(series.some(({ role }) => role === 'printed') ? ['rings: printed in the paper'] : []),
  ].join('; ');
}
