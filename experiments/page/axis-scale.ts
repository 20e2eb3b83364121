import { textWidth } from '../../src/export/svg/label.ts';
import { extent, linearScale, logScale, type Scale } from '../../src/export/svg/scale.ts';
import type { ResultAxis } from '../paper-result.ts';

type Range = readonly [number, number];

/** Positions of values along an axis of a figure. */
export function axisScale(
  { log = false }: ResultAxis,
  values: readonly number[],
  range: Range,
  count: number,
): Scale {
  return log ? logarithmic(values, range, count) : linear(extent(values), range, count);
}

/** Most values that get a mark each. */
const MOST_PLACES = 8;

/** The axis of a sweep: a logarithmic one has its marks at the tried values, if these are few. */
export function sweptScale(axis: ResultAxis, values: readonly number[], range: Range): Scale {
  const scale = axisScale(axis, values, range, 5);
  const places = [...new Set(values)].sort((a, b) => a - b);
  if (axis.log !== true || places.length > MOST_PLACES || !(places[0]! > 0)) return scale;
  const ticks = places.map((value) => ({ value, text: tickText(value) }));
  return { at: scale.at, ticks: legible(ticks, scale) };
}

/** The marks without those whose numbers would overlap an earlier one; the last is always kept. */
function legible(ticks: Scale['ticks'], { at }: Scale): Scale['ticks'] {
  const room = (text: string) => textWidth(text) / 2 + 4;
  const apart = (a: Scale['ticks'][number], b: Scale['ticks'][number]) =>
    Math.abs(at(a.value) - at(b.value)) >= room(a.text) + room(b.text);
  const last = ticks.at(-1)!;
  const kept: Scale['ticks'][number][] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    const fits = before === undefined || apart(before, tick);
    if (fits && (tick === last || apart(tick, last))) kept.push(tick);
  }
  return kept;
}

/** Pixels to the left of a picture for the numbers of its axis. */
export function spaceForTicks({ ticks }: Scale): number {
  return Math.max(28, ...ticks.map(({ text }) => textWidth(text) + 8));
}

function linear(domain: Range, range: Range, count: number): Scale {
  const scale = linearScale(domain, range, count);
  return { at: scale.at, ticks: evenTicks(scale.ticks) };
}

/** A logarithmic axis with a place for 0, one decade below the other values: a gap of 0 must also show. */
function logarithmic(values: readonly number[], range: Range, count: number): Scale {
  const [low, high] = extent(values.filter((value) => value > 0));
  if (!(low > 0)) return linear(extent(values), range, count);
  const hasZero = values.some((value) => value <= 0);
  const floor = hasZero ? low / 10 : low;
  const scale = logScale([floor, high], range, count);
  const at = (value: number) => scale.at(value > 0 ? value : floor);
  const ticks = marks(scale, [low, high], range, count);
  return { at, ticks: hasZero ? [{ value: 0, text: '0' }, ...ticks] : ticks };
}

/** Powers of ten; for one or two decades also their multiples, and even steps if these are too far apart. */
function marks(scale: Scale, [low, high]: Range, range: Range, count: number): Scale['ticks'] {
  const within = ({ value }: { readonly value: number }) =>
    value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  const decades = scale.ticks.filter(within);
  if (decades.length > 2) return decades;
  const powers = Array.from({ length: 40 }, (_, k) => k - 20);
  const multiples = powers
    .flatMap((power) => [1, 2, 5].map((digit) => ({ value: Number(`${digit}e${power}`) })))
    .filter(within)
    .map(({ value }) => ({ value, text: high >= 1e5 ? powerText(value) : tickText(value) }));
  return multiples.length > 2 ? multiples : linear([low, high], range, count).ticks;
}

/** The numbers of evenly spaced ticks, with as many decimals as needed to distinguish them. */
function evenTicks(ticks: Scale['ticks']): Scale['ticks'] {
  const step = ticks.length > 1 ? ticks[1]!.value - ticks[0]!.value : 1;
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const largest = Math.max(...ticks.map(({ value }) => Math.abs(value)));
  return ticks.map(({ value, text }) =>
    largest >= 1e5 || largest < 1e-3 ? { value, text } : { value, text: value.toFixed(decimals) },
  );
}

function tickText(value: number): string {
  return value >= 1e-3 && value < 1e5 ? String(value) : powerText(value);
}

function powerText(value: number): string {
  return value.toExponential().replace('e+', 'e');
}
