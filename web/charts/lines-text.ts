import { ChartNumber } from './chart-text.tsx';
import { type LinesData, type LinesLayout, MOST_NAMED } from './lines-layout.ts';
import type { CursorText } from './use-cursor.ts';

/** The class with the colour of a named line; dots have the colour of their line. */
export function colourClass({ series, named }: LinesData, k: number): string {
  const { dotsOf } = series[k];
  const rank = named.findIndex((line) => line === k || series[line].name === dotsOf);
  return rank < 0 ? 'series' : `series s${rank + 1}`;
}

/** The value of each line at one place; only named lines if there are many. */
export function cursorTextAt(
  data: LinesData,
  place: number,
  label: string,
  layout: LinesLayout,
): CursorText {
  const { series, named } = data;
  const { x, plot } = layout;
  const dots = [...series.keys()].filter((k) => series[k].dotsOf !== undefined);
  const values = [...named, ...dots]
    .map((k) => ({
      name: series[k].name,
      at: series[k].points.find((point) => point[0] === place)?.[1] ?? Number.NaN,
      style: colourClass(data, k),
    }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => b.at - a.at);
  const lines = series.length - dots.length;
  const others = lines - Math.min(lines, MOST_NAMED);
  return {
    x: x.at(place),
    y: plot.top,
    beside: 'column',
    heading: `${label} ${ChartNumber(place)}`,
    lines: [
      ...values.map(({ name, at, style }) => ({ name, value: ChartNumber(at), style })),
      ...(others === 0 ? [] : [{ value: `and ${others} smaller` }]),
    ],
  };
}

/** Text about the start and the end of each named line, and about the marks. */
export function linesFinding({ series, named, marks }: LinesData, label: string): string {
  const dots = [...series.keys()].filter((k) => series[k].dotsOf !== undefined);
  const lines = [...named, ...dots].map((k) => {
    const finite = series[k].points.filter((point) => point.every(Number.isFinite));
    const sorted = finite.toSorted((a, b) => a[0] - b[0]);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (first === undefined || last === undefined) return `${series[k].name}: no values`;
    const end = `${ChartNumber(last[1])} at ${ChartNumber(last[0])}`;
    const least = sorted.reduce((best, point) => (point[1] < best[1] ? point : best));
    const dip =
      least === first || least === last
        ? ''
        : `, smallest ${ChartNumber(least[1])} at ${ChartNumber(least[0])}`;
    return `${series[k].name} from ${ChartNumber(first[1])} at ${ChartNumber(first[0])} to ${end}${dip}`;
  });
  const others = series.length - dots.length - named.length;
  return [
    `By ${label}: ${lines.join('; ') || 'no lines'}.`,
    others === 0 ? '' : `${others} smaller lines have no name.`,
    ...marks.map(({ x, text }) => `${text}: ${ChartNumber(x)}.`),
  ]
    .filter((part) => part !== '')
    .join(' ');
}
