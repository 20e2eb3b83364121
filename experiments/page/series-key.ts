import { line } from '../../src/export/svg/drawing.ts';
import { label } from '../../src/export/svg/label.ts';
import type { DrawnSeries } from './series-look.ts';

const SPACING = 15;

/** Where the first name stands; what the axis shows is said below the names, where the axis begins. */
export const KEY_TOP = 12;

/** Pixels that names above a picture take. */
export const keyHeight = (series: readonly DrawnSeries[]) => series.length * SPACING + 4;

/** Names above a picture, where there is no room for them beside their lines. */
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
