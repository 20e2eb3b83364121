import { line } from './drawing.ts';
import { label, textWidth } from './label.ts';
import type { Scale } from './scale.ts';

/** Marks and numbers under a picture, with faint lines up to `top`. */
export function bottomAxis(scale: Scale, y: number, top: number, name: string): string {
  const [first, last] = [scale.ticks[0], scale.ticks.at(-1)];
  const middle =
    first === undefined || last === undefined
      ? 0
      : (scale.at(first.value) + scale.at(last.value)) / 2;
  return [
    ...scale.ticks.map(({ value }) => line([scale.at(value), top], [scale.at(value), y], 'grid')),
    ...readable(scale).map(({ value, text }) =>
      label(text, { x: scale.at(value), y: y + 14, anchor: 'middle', style: 'soft' }),
    ),
    label(name, { x: middle, y: y + 31, anchor: 'middle', style: 'soft', width: 300 }),
  ].join('\n');
}

/** Every tick, or every second, third, … from zero, so that texts do not overlap. */
function readable({ ticks, at }: Scale): Scale['ticks'] {
  const gap = 6;
  const zero = Math.max(
    0,
    ticks.findIndex(({ value }) => value === 0),
  );
  for (let stride = 1; stride < ticks.length; stride++) {
    const kept = ticks.filter((_, k) => (k - zero) % stride === 0);
    const fits = kept.slice(1).every((tick, k) => {
      const space = Math.abs(at(tick.value) - at(kept[k]!.value));
      return space >= (textWidth(tick.text) + textWidth(kept[k]!.text)) / 2 + gap;
    });
    if (fits) return kept;
  }
  return ticks.slice(zero, zero + 1);
}

/** Height of `bottomAxis`. */
export const AXIS_HEIGHT = 36;

/** Marks and numbers left of a picture, with faint lines over to `right`. */
export function leftAxis(scale: Scale, x: number, right: number): string {
  return [
    ...acrossLines(scale, x, right),
    ...scale.ticks.map(({ value, text }) =>
      label(text, { x: x - 5, y: scale.at(value) + 4, anchor: 'end', style: 'soft', width: x - 5 }),
    ),
  ].join('\n');
}

/** Marks and numbers right of a picture, with faint lines over from `left`. */
export function rightAxis(scale: Scale, x: number, left: number): string {
  return [
    ...acrossLines(scale, left, x),
    ...scale.ticks.map(({ value, text }) =>
      label(text, { x: x + 5, y: scale.at(value) + 4, style: 'soft' }),
    ),
  ].join('\n');
}

function acrossLines(scale: Scale, left: number, right: number): string[] {
  return scale.ticks.map(({ value }) =>
    line([left, scale.at(value)], [right, scale.at(value)], 'grid'),
  );
}
