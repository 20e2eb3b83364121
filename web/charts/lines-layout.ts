import { extent, linearScale, logScale, type Scale } from '../../src/export/svg/scale.ts';
import { briefNumber } from './chart-text.tsx';
import { placeFlags } from './place-flags.ts';
import { halved, measured, spacedLabels, widest } from './space.ts';

type Point = readonly [x: number, y: number];

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  readonly band?: readonly (readonly [x: number, low: number, high: number])[] | undefined;
  /** Name of another line. The points are dots in the colour of that line, without a name. */
  readonly dotsOf?: string | undefined;
  /** Dashed, so that a line under it stays visible. */
  readonly dashed?: boolean | undefined;
}

/** A named place on the horizontal axis, such as the penalty in use. */
export interface PlaceMark {
  readonly x: number;
  readonly text: string;
}

export interface LinesLayout {
  readonly x: Scale;
  readonly y: Scale;
  readonly plot: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  /** The side with the names of the lines; the numbers are on the other. */
  readonly names: 'left' | 'right';
  readonly nameWidth: number;
  /** Whether a name may take two lines. */
  readonly twoLines: boolean;
  /** The texts of the marks, above the plot. */
  readonly flags: readonly {
    readonly at: number;
    readonly start: number;
    readonly base: number;
    readonly text: string;
  }[];
}

export interface LinesData {
  readonly series: readonly Series[];
  readonly log: boolean;
  /** Ends of the horizontal axis; those of the values unless given. */
  readonly xEnds?: readonly [number, number] | undefined;
  readonly yLog: boolean;
  /** Smallest span of a linear axis, as a share of the largest value. */
  readonly ySpan?: number | undefined;
  readonly marks: readonly PlaceMark[];
  /** Indices of the lines with a name and a colour. */
  readonly named: readonly number[];
}

/** Most lines with their own colour and name. */
export const MOST_NAMED = 8;
/** Between the edge of the plot and the first and last place on its axis. */
export const PLOT_INSET = 4;
const LINE = 15;
const TWO_LINES = 27;

/** The lines with the largest values, largest first; or the given first ones, so that a growing line keeps its colour. */
export function namedSeries(series: readonly Series[], first: 'largest' | 'given'): number[] {
  const lines = [...series.keys()].filter((k) => series[k].dotsOf === undefined);
  if (first === 'given') return lines.slice(0, MOST_NAMED);
  const sizes = series.map(({ points }) =>
    points.reduce((most, [, y]) => (Number.isFinite(y) ? Math.max(most, Math.abs(y)) : most), 0),
  );
  return lines.sort((a, b) => sizes[b] - sizes[a]).slice(0, MOST_NAMED);
}

export function linesLayout(data: LinesData, width: number): LinesLayout {
  const { series, named } = data;
  const height = Math.round(Math.min(300, Math.max(190, 0.42 * width)));
  const yScale = (range: readonly [number, number]) =>
    data.yLog
      ? logOrFloor(yValues(series), range)
      : linearScale(yExtent(series, data.ySpan ?? 0), range, 5);
  const numbers = widest(yScale([0, 1]).ticks.map(({ text }) => text)) + 8;
  const texts = named.length < 2 ? [] : named.map((k) => series[k].name);
  const most = Math.min((width < 400 ? 0.42 : 0.32) * width, 240);
  const twoLines =
    texts.some((text) => measured(text) > most) && texts.length * TWO_LINES <= height;
  const lines = twoLines ? texts.flatMap((text) => nameLines(text, most)) : texts;
  const nameWidth = Math.min(widest(lines), most);
  const nameSpace = nameWidth === 0 ? 8 : nameWidth + 22;
  const names = widerEnd(data);
  const [left, right] =
    names === 'right' ? [numbers, width - nameSpace] : [nameSpace, width - numbers];
  const x = xScale(data, [left + PLOT_INSET, right - PLOT_INSET]);
  const flags = placeFlags(
    data.marks.map((mark) => ({
      at: Math.min(right, Math.max(left, x.at(mark.x))),
      text: mark.text,
    })),
    width,
  );
  const levels = flags.reduce((most, { level }) => Math.max(most, level + 1), 0);
  const top = LINE + 6 + LINE * levels;
  const bottom = top + height;
  return {
    x,
    y: yScale([bottom - 4, top + 4]),
    plot: { left, right, top, bottom },
    names,
    nameWidth,
    twoLines,
    flags: flags.map(({ at, start, level, text }) => ({
      at,
      start,
      base: top - 5 - LINE * level,
      text,
    })),
  };
}

/** A name in one line, or in two if it is wider than `width` pixels. */
export function nameLines(name: string, width: number): string[] {
  return measured(name) > width ? halved(name) : [name];
}

/** Positions of the names at the ends of the lines. */
export function endLabels(
  { series, named }: LinesData,
  { x, y, plot, names, twoLines }: LinesLayout,
): {
  readonly k: number;
  readonly across: number;
  readonly end: number;
  readonly middle: number;
}[] {
  const ends = named
    .flatMap((k) => {
      const finite = series[k].points.filter((point) => point.every(Number.isFinite));
      const sorted = finite.toSorted((a, b) => a[0] - b[0]);
      const last = names === 'right' ? sorted.at(-1) : sorted[0];
      return last === undefined ? [] : [{ k, across: x.at(last[0]), end: y.at(last[1]) }];
    })
    .sort((a, b) => a.end - b.end);
  const middles = spacedLabels(
    ends.map(({ end }) => end),
    twoLines ? TWO_LINES : LINE,
    twoLines ? [plot.top + 8, plot.bottom - 8] : [plot.top + 2, plot.bottom - 2],
  );
  return ends.map((end, i) => ({ ...end, middle: middles[i] }));
}

function yValues(series: readonly Series[]): number[] {
  return series.flatMap(({ points, band = [] }) => [
    ...points.map(([, y]) => y),
    ...band.flatMap(([, least, most]) => [least, most]),
  ]);
}

/** A logarithmic scale; values that are not positive are at its lower end. */
function logOrFloor(values: readonly number[], range: readonly [number, number]): Scale {
  const [low, high] = extent(values.filter((value) => value > 0));
  const scale = logScale([low || 1, high || 1], range, 6);
  const ticks = scale.ticks.length < 3 ? betweenDecades(low, high) : scale.ticks;
  return { ticks, at: (value) => (value > 0 ? scale.at(value) : range[0]) };
}

/** 1, 2 and 5 times powers of ten, for an axis with too few powers of ten. */
function betweenDecades(low: number, high: number): Scale['ticks'] {
  if (!(low > 0)) return [];
  const first = Math.floor(Math.log10(low));
  const powers = Array.from(
    { length: Math.floor(Math.log10(high)) - first + 1 },
    (_, k) => first + k,
  );
  return powers
    .flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)))
    .filter((value) => value >= low && value <= high)
    .map((value) => ({ value, text: briefNumber(value) }));
}

/** The range of all values; includes 0 if they come near it, and is widened if they hardly differ. */
function yExtent(series: readonly Series[], span: number): [number, number] {
  const [low, high] = extent(yValues(series));
  const missing = (span * high - (high - low)) / 2;
  if (low > 0 && missing > 0) return [low - missing, high + missing];
  if (low > 0 && low < high / 5) return [0, high];
  return high < 0 && high > low / 5 ? [low, 0] : [low, high];
}

/** On a logarithmic scale, 0 is this factor below the smallest other value. */
export const ZERO_BELOW = 10;

/** On a logarithmic scale, 0 is one step below the smallest other value. */
function xScale({ series, log, marks, xEnds }: LinesData, range: readonly [number, number]): Scale {
  const values = series.flatMap(({ points }) => points.map(([x]) => x));
  const count = Math.max(2, Math.floor((range[1] - range[0]) / 70));
  if (!log) return linearScale(xEnds ?? extent(values), range, count);
  const [low, high] = xEnds ?? extent(values.filter((value) => value > 0));
  const zero = [...values, ...marks.map(({ x }) => x)].some((value) => value === 0);
  const least = zero ? low / ZERO_BELOW : low;
  const scale = logScale([least || 1, high || 1], range, count);
  return {
    at: (value) => scale.at(value > 0 ? value : least || 1),
    ticks: zero
      ? [{ value: 0, text: '0' }, ...scale.ticks.filter(({ value }) => value > 2 * least)]
      : scale.ticks,
  };
}

/** The side for the names: where the lines are clearly farther apart; else the right. */
function widerEnd({ series, named, yLog }: LinesData): 'left' | 'right' {
  const spread = (pick: (points: readonly Point[]) => Point | undefined) => {
    const ends = named.flatMap((k) => pick(series[k].points)?.[1] ?? []);
    const [low, high] = extent(yLog ? ends.map(Math.log) : ends);
    return high - low;
  };
  const sorted = (points: readonly Point[]) => points.toSorted((a, b) => a[0] - b[0]);
  const left = spread((points) => sorted(points)[0]);
  const right = spread((points) => sorted(points).at(-1));
  return named.length > 1 && left > 1.5 * right ? 'left' : 'right';
}
