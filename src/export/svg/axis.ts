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

/** The ticks whose texts do not run into the one before, zero among them where there is one. */
function readable(scale: Scale): Scale['ticks'] {
  const gap = 6;
  const apart = (a: Scale['ticks'][number], b: Scale['ticks'][number]) =>
    Math.abs(scale.at(a.value) - scale.at(b.value)) >=
    (textWidth(a.text) + textWidth(b.text)) / 2 + gap;
  const zero = scale.ticks.find(({ value }) => value === 0);
  const kept = zero === undefined ? [] : [zero];
  for (const tick of scale.ticks) {
    if (kept.every((other) => apart(tick, other))) kept.push(tick);
  }
  return kept;
}

/** Room that `bottomAxis` takes. */
export const AXIS_HEIGHT = 36;

/** Marks and numbers left of a picture, with faint lines over to `right`. */
export function leftAxis(scale: Scale, x: number, right: number): string {
  return [
    ...scale.ticks.map(({ value }) => line([x, scale.at(value)], [right, scale.at(value)], 'grid')),
    ...scale.ticks.map(({ value, text }) =>
      label(text, { x: x - 5, y: scale.at(value) + 4, anchor: 'end', style: 'soft', width: x - 5 }),
    ),
  ].join('\n');
}
