import { numberText } from './chart-text.tsx';
import { type LinesData, type LinesLayout, MOST_NAMED } from './lines-layout.ts';
import type { Told } from './use-cursor.ts';

/** The class with the colour of a named line; of dots, with that of the line they belong to. */
export function colourClass({ series, named }: LinesData, k: number): string {
  const { dotsOf } = series[k];
  const rank = named.findIndex((line) => line === k || series[line].name === dotsOf);
  return rank < 0 ? 'series' : `series s${rank + 1}`;
}

/** What each line has at one place; the named ones where there are many. */
export function toldAt(data: LinesData, place: number, label: string, layout: LinesLayout): Told {
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
    heading: `${label} ${numberText(place)}`,
    lines: [
      ...values.map(({ name, at, style }) => ({ name, value: numberText(at), style })),
      ...(others === 0 ? [] : [{ value: `and ${others} smaller` }]),
    ],
  };
}

/** Where each named line starts and ends, and what is marked. */
export function linesFinding({ series, named, marks }: LinesData, label: string): string {
  const dots = [...series.keys()].filter((k) => series[k].dotsOf !== undefined);
  const lines = [...named, ...dots].map((k) => {
    const finite = series[k].points.filter((point) => point.every(Number.isFinite));
    const sorted = finite.toSorted((a, b) => a[0] - b[0]);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (first === undefined || last === undefined) return `${series[k].name}: no values`;
    const end = `${numberText(last[1])} at ${numberText(last[0])}`;
    const least = sorted.reduce((best, point) => (point[1] < best[1] ? point : best));
    const dip =
      least === first || least === last
        ? ''
        : `, smallest ${numberText(least[1])} at ${numberText(least[0])}`;
    return `${series[k].name} from ${numberText(first[1])} at ${numberText(first[0])} to ${end}${dip}`;
  });
  const others = series.length - dots.length - named.length;
  return [
    `By ${label}: ${lines.join('; ') || 'no lines'}.`,
    others === 0 ? '' : `${others} smaller lines have no name.`,
    ...marks.map(({ x, text }) => `${text}: ${numberText(x)}.`),
  ]
    .filter((part) => part !== '')
    .join(' ');
}
