import { spreadApart } from './apart.ts';
import { AXIS_HEIGHT, bottomAxis, rightAxis } from './axis.ts';
import { type Caption, drawing, line, px, WIDTH } from './drawing.ts';
import { label, textWidth } from './label.ts';
import { extent, linearScale, logScale } from './scale.ts';

export interface Trace extends Caption {
  readonly names: readonly string[];
  /** In any order; a penalty of 0 is drawn below the smallest other one. */
  readonly points: readonly { readonly penalty: number; readonly values: readonly number[] }[];
  /** The penalty in use. */
  readonly chosen?: number;
  readonly axis: string;
}

/** Number of lines with their own colour and name. */
const NAMED = 6;
const RIGHT = WIDTH - 46;
/** Most pixels of the names, left of the lines. */
const MOST_NAME = 170;
const TOP = 8;
const BOTTOM = 208;
const SPACING = 14;

/** Coefficients along the penalty, from weak to strong; the largest ones have names. */
export function trace({ names, points, chosen, axis, ...caption }: Trace): string {
  const positive = points.map(({ penalty }) => penalty).filter((penalty) => penalty > 0);
  const [low, high] = extent(positive);
  const least = points.some(({ penalty }) => penalty === 0) ? low / 3 : low;
  const sizes = names.map((_, k) => Math.max(...points.map(({ values }) => Math.abs(values[k]!))));
  const order = [...names.keys()].sort((a, b) => sizes[b]! - sizes[a]!);
  const widest = Math.max(0, ...order.slice(0, NAMED).map((k) => textWidth(names[k]!)));
  const nameWidth = Math.min(MOST_NAME, widest);
  const left = nameWidth + 16;
  const x = logScale([least || 1, high || 1], [left, RIGHT], 5);
  const y = linearScale(extent([0, ...points.flatMap(({ values }) => values)]), [BOTTOM, TOP], 5);
  const sorted = [...points].sort((a, b) => a.penalty - b.penalty);
  const ranks = new Map(order.map((k, rank) => [k, rank]));
  const styleOf = (k: number) =>
    ranks.get(k)! < NAMED ? `series s${ranks.get(k)! + 1}` : 'series';
  const path = (k: number) =>
    sorted
      .map(({ penalty, values }, i) => {
        const at = x.at(penalty === 0 ? least : penalty);
        return `${i === 0 ? 'M' : 'L'}${px(at)} ${px(y.at(values[k]!))}`;
      })
      .join('');
  // Names stand at the weak end of the penalty, where the lines are far apart.
  const weak = sorted[0]!;
  const named = order.slice(0, NAMED).sort((a, b) => weak.values[b]! - weak.values[a]!);
  const wanted = named.map((k) => y.at(weak.values[k]!));
  const heights = spreadApart(wanted, SPACING, BOTTOM);
  return drawing(caption, BOTTOM + AXIS_HEIGHT, [
    rightAxis(y, RIGHT, left),
    bottomAxis(x, BOTTOM, TOP, axis),
    line([left, y.at(0)], [RIGHT, y.at(0)], 'reference'),
    ...(chosen === undefined || !(chosen > 0) || chosen < least || chosen > high
      ? []
      : [line([x.at(chosen), TOP], [x.at(chosen), BOTTOM], 'chosen')]),
    ...order.toReversed().map((k) => `<path class="${styleOf(k)}" d="${path(k)}"/>`),
    ...named.map((k, i) => {
      const from = y.at(weak.values[k]!);
      return [
        line([left, from], [left - 10, heights[i]!], `leader s${ranks.get(k)! + 1}`),
        label(names[k]!, {
          x: left - 14,
          y: heights[i]! + 4,
          anchor: 'end',
          width: nameWidth,
        }),
      ].join('\n');
    }),
  ]);
}
