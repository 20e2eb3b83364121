import type { Scale } from '../../src/export/svg/scale.ts';
import { ChartText } from './chart-text.tsx';
import { fitted, measured, wrappedLabel } from './space.ts';

type Ticks = Scale['ticks'];
type Pair = readonly [number, number];

const LINE = 15;

/** Height of the numbers and the name under a chart. */
export function axisHeight(name: string, width: number): number {
  return 23 + LINE * wrappedLabel(name, width).length;
}

/** The numbers and the name under a chart; `width` in pixels. */
export function BottomAxis({
  scale,
  y,
  width,
  middle,
  name,
}: {
  readonly scale: Scale;
  readonly y: number;
  readonly width: number;
  /** Middle of the name. */
  readonly middle: number;
  readonly name: string;
}) {
  return (
    <g class="axis">
      {readable(scale, width).map(({ value, text }) => (
        <ChartText
          key={text}
          x={within(scale.at(value), text, width)}
          y={y + 15}
          anchor="middle"
          style="soft"
        >
          {text}
        </ChartText>
      ))}
      {wrappedLabel(name, width).map((text, k) => (
        <ChartText
          key={text}
          x={within(middle, fitted(text, width), width)}
          y={y + 32 + LINE * k}
          anchor="middle"
          width={width}
          style="soft"
        >
          {text}
        </ChartText>
      ))}
    </g>
  );
}

/** Numbers beside a chart, ending or starting at `x`. */
export function SideAxis({
  scale,
  x,
  anchor,
}: {
  readonly scale: Scale;
  readonly x: number;
  readonly anchor: 'start' | 'end';
}) {
  return (
    <g class="axis">
      {different(scale.ticks).map(({ value, text }) => (
        <ChartText key={text} x={x} y={scale.at(value) + 4} anchor={anchor} style="soft">
          {text}
        </ChartText>
      ))}
    </g>
  );
}

/** Faint vertical lines at the ticks, through each band. */
export function GridLines({
  scale,
  bands,
}: {
  readonly scale: Scale;
  readonly bands: readonly Pair[];
}) {
  return (
    <path
      class="grid"
      d={uprights(
        scale.ticks.map(({ value }) => scale.at(value)),
        bands,
      )}
    />
  );
}

/** The path of vertical lines at these places through these bands. */
export function uprights(places: readonly number[], bands: readonly Pair[]): string {
  return places
    .flatMap((x) => bands.map(([top, bottom]) => `M${round(x)} ${round(top)}V${round(bottom)}`))
    .join('');
}

/** Pixels to a tenth. */
export function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** The middle of a text at `x`, moved so that the text stays inside the chart. */
function within(x: number, text: string, width: number): number {
  const half = measured(text) / 2;
  return Math.min(width - half, Math.max(half, x));
}

/** Of ticks with the same text, only the first. */
function different(ticks: Ticks): Ticks {
  return ticks.filter(({ text }, k) => text !== ticks[k - 1]?.text);
}

/** Every tick, or every second, third, … from zero, so that no texts overlap. */
function readable({ ticks, at }: Scale, width: number): Ticks {
  const all = different(ticks);
  const zero = Math.max(
    0,
    all.findIndex(({ value }) => value === 0),
  );
  for (let stride = 1; stride < all.length; stride++) {
    const kept = all.filter((_, k) => (k - zero) % stride === 0);
    const fits = kept.slice(1).every(({ value, text }, k) => {
      const before = kept[k];
      const space = within(at(value), text, width) - within(at(before.value), before.text, width);
      return Math.abs(space) >= (measured(text) + measured(before.text)) / 2 + 8;
    });
    if (fits) return kept;
  }
  return all.slice(zero, zero + 1);
}
