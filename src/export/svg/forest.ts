import { significant } from '../../text/number-text.ts';
import { AXIS_HEIGHT, bottomAxis } from './axis.ts';
import { type Caption, dotMark, drawing, line, px, WIDTH } from './drawing.ts';
import { label, type Placing, textWidth } from './label.ts';
import { extent, linearScale, type Scale } from './scale.ts';

/** An estimate with its interval; without one, a point. */
export interface ForestFigureRow {
  readonly label: string;
  readonly estimate: number;
  readonly low?: number;
  readonly high?: number;
  /** Drawn as a diamond: the summary of the other rows. */
  readonly summary?: true;
}

export interface ForestFigure extends Caption {
  readonly rows: readonly ForestFigureRow[];
  /** Marked across all rows, such as 0. */
  readonly reference: number;
  readonly axis: string;
}

const ROW = 20;
const TALL_ROW = 36;
/** Most pixels of a name beside its interval; longer names are above it. */
const MOST_NAME = 165;
const RIGHT = WIDTH - 76;

/** Estimates with their intervals, one per line. */
export function forest({ rows, reference, axis, ...caption }: ForestFigure): string {
  const widest = Math.max(0, ...rows.map((row) => textWidth(row.label)));
  const above = widest > MOST_NAME;
  const left = above ? 12 : widest + 14;
  const height = above ? TALL_ROW : ROW;
  const bottom = rows.length * height + 8;
  const scale = linearScale(view(rows, reference), [left, RIGHT], 4);
  const place = (k: number): RowPlace => {
    const middle = 6 + (k + 0.5) * height;
    if (!above) return { left, y: middle, name: { x: left - 12, y: middle + 4, anchor: 'end' } };
    return { left, y: middle + 9, name: { x: 2, y: middle - 3, width: WIDTH - 4 } };
  };
  // Between names that are above their rows, the line has gaps.
  const references = above
    ? rows.map((_, k) => [place(k).y - 8, place(k).y + 8] as const)
    : [[4, bottom] as const];
  return drawing(caption, bottom + AXIS_HEIGHT, [
    bottomAxis(scale, bottom, 4, axis),
    ...references.map(([top, end]) =>
      line([scale.at(reference), top], [scale.at(reference), end], 'reference'),
    ),
    ...rows.map((row, k) => rowPicture(row, place(k), scale)),
  ]);
}

interface RowPlace {
  /** Where the picture starts. */
  readonly left: number;
  /** The height of its interval. */
  readonly y: number;
  readonly name: Placing;
}

function rowPicture(
  row: ForestFigureRow,
  { left: start, y, name }: RowPlace,
  scale: Scale,
): string {
  const { estimate, low, high, summary } = row;
  const inside = (value: number) => Math.min(RIGHT + 4, Math.max(start - 4, scale.at(value)));
  const tooltip = `${row.label}: ${significant(estimate)}${
    low === undefined || high === undefined ? '' : ` (${significant(low)} to ${significant(high)})`
  }`;
  const x = inside(estimate);
  const marks: string[] = [];
  if (low !== undefined && high !== undefined) {
    const [from, to] = [inside(low), inside(high)];
    if (summary === true) {
      const reach = Math.max(4, (to - from) / 2);
      const [left, right] = [px(x - reach), px(x + reach)];
      marks.push(
        `<path class="summary" d="M${left} ${px(y)}L${px(x)} ${px(y - 6)}L${right} ${px(y)}L${px(x)} ${px(y + 6)}Z"/>`,
      );
    } else {
      marks.push(line([from, y], [to, y], 'interval'));
      if (scale.at(low) < start - 4) marks.push(arrow(from, y, -1));
      if (scale.at(high) > RIGHT + 4) marks.push(arrow(to, y, 1));
    }
  }
  if (summary !== true && x > start - 4 && x < RIGHT + 4)
    marks.push(dotMark(x, y, 4, 'point', tooltip));
  return [
    label(row.label, name),
    ...marks,
    label(significant(estimate, 3), { x: WIDTH - 2, y: y + 4, anchor: 'end', style: 'value' }),
  ].join('\n');
}

function arrow(x: number, y: number, direction: 1 | -1): string {
  const back = px(x - 5 * direction);
  return `<path class="interval" d="M${back} ${px(y - 4)}L${px(x)} ${px(y)}L${back} ${px(y + 4)}"/>`;
}

/** The range of the axis: all intervals, unless a few very wide ones would hide the rest; those end in arrows. */
function view(rows: readonly ForestFigureRow[], reference: number): readonly [number, number] {
  const all = extent([
    reference,
    ...rows.flatMap(({ estimate, low = estimate, high = estimate }) => [low, high]),
  ]);
  const reaches = rows
    .map(({ estimate, high = estimate }) => high - estimate)
    .sort((a, b) => a - b);
  const reach = 2 * (reaches[Math.floor(reaches.length / 2)] ?? 0);
  const usual = rows.filter(({ estimate, high = estimate }) => high - estimate <= 3 * reach);
  const near = extent([
    reference,
    ...usual.flatMap(({ estimate }) => [estimate - reach, estimate + reach]),
  ]);
  const clipped: [number, number] = [Math.max(all[0], near[0]), Math.min(all[1], near[1])];
  return all[1] - all[0] > 2.5 * (clipped[1] - clipped[0]) && clipped[1] > clipped[0]
    ? clipped
    : all;
}
