import { line } from '../../src/export/svg/drawing.ts';
import { label } from '../../src/export/svg/label.ts';
import type { DrawnSeries } from './series-look.ts';

const SPACING = 15;

/** Position of the first name; the axis label is below the names, at the start of the axis. */
export const KEY_TOP = 12;

/** Pixels of the names above a picture. */
export const keyHeight = (series: readonly DrawnSeries[]) => series.length * SPACING + 4;

/** Names above a picture, if there is no space for them beside their lines. */
export function seriesKey(
  series: readonly DrawnSeries[],
  [left, top]: readonly [number, number],
  width: number,
): string[] {
  return series.flatMap(({ name, colour }, k) => {
    const y = top + k * SPACING;
    return [
      line([left, y - 4], [left + 14, y - 4], `leader thick ${colour}`),
      label(name, { x: left + 20, y, width: width - 20 }),
    ];
  });
}
