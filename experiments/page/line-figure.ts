import { spreadApart } from '../../src/export/svg/apart.ts';
import { AXIS_HEIGHT, bottomAxis, leftAxis } from '../../src/export/svg/axis.ts';
import { dotMark, drawing, line, px, WIDTH } from '../../src/export/svg/drawing.ts';
import { label, textWidth } from '../../src/export/svg/label.ts';
import type { Scale } from '../../src/export/svg/scale.ts';
import type { ResultFigure, ResultPoint } from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';
import { axisScale, spaceForTicks, sweptScale } from './axis-scale.ts';
import { figureText } from './figure-text.ts';
import { KEY_TOP, keyHeight, seriesKey } from './series-key.ts';
import { type DrawnSeries, drawnSeries } from './series-look.ts';

const TOP = 26;
/** Height of the lines, without what is above them. */
const HEIGHT = 200;
const SPACING = 14;
/** Most pixels for names beside the lines. */
const MOST_FOR_NAMES = 140;
/** Curves with more points have no marks. */
const MOST_MARKS = 40;

/** Lines with bands; each name is at the end of its line, or above the picture if it is long. Printed values are rings. */
export function lineFigure(figure: ResultFigure): string {
  const series = drawnSeries(figure.series);
  const named = series.filter(({ role }) => role !== 'printed');
  const widest = Math.max(0, ...named.map(({ name }) => textWidth(name)));
  const beside = widest <= MOST_FOR_NAMES;
  const right = WIDTH - 18 - (beside ? widest : 0);
  const top = TOP + (beside ? 0 : keyHeight(named));
  const bottom = top + HEIGHT;
  const points = series.flatMap((one) => one.points);
  const y = axisScale(figure.y, points.flatMap(heights), [bottom - 6, top + 4], 5);
  const left = spaceForTicks(y);
  const along = points.map((point) => point.x);
  const x = sweptScale(figure.x, along, [left, right]);
  const caption = { title: figure.title, description: figureText(figure) };
  const parts = [
    ...(beside ? [] : seriesKey(named, [left, KEY_TOP], right - left)),
    label(figure.y.label, { x: 2, y: top - 14, style: 'soft', width: WIDTH - 4 }),
    leftAxis(y, left, right),
    bottomAxis(x, bottom, top, figure.x.label),
    ...series.map((one) => band(one, x, y)),
    ...named.map((one) => curve(one, x, y)),
    ...series.map((one) => marks(one, x, y)),
    ...(beside ? nameLabels(named, x, y, [right, bottom]) : []),
  ];
  return drawing(
    caption,
    bottom + AXIS_HEIGHT,
    parts.filter((part) => part !== ''),
  );
}

const heights = ({ y, low = y, high = y }: ResultPoint) => [y, low, high];

function curve({ points, colour }: DrawnSeries, x: Scale, y: Scale): string {
  const path = points
    .map((point, k) => `${k === 0 ? 'M' : 'L'}${px(x.at(point.x))} ${px(y.at(point.y))}`)
    .join('');
  return `<path class="series ${colour}" d="${path}"/>`;
}

function band({ points, colour, role }: DrawnSeries, x: Scale, y: Scale): string {
  const banded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
  if (banded.length < 2 || role === 'oracle') return ''; // the band of the exact fusion is the same
  const upper = banded.map((point) => `${px(x.at(point.x))} ${px(y.at(point.high!))}`);
  const lower = banded.toReversed().map((point) => `${px(x.at(point.x))} ${px(y.at(point.low!))}`);
  return `<path class="band ${colour}" d="M${[...upper, ...lower].join('L')}Z"/>`;
}

function marks({ points, colour, role, name }: DrawnSeries, x: Scale, y: Scale): string {
  if (role !== 'printed' && (points.length > MOST_MARKS || role === 'oracle')) return '';
  const style = role === 'printed' ? `ring ${colour}` : `mark ${colour}`;
  return points
    .map((point) => {
      const label = `${name}: ${resultNumberText(point.y)} at ${resultNumberText(point.x)}`;
      return dotMark(x.at(point.x), y.at(point.y), role === 'printed' ? 4 : 2.5, style, label);
    })
    .join('\n');
}

/** Names are beside the last point of their line, as near as the other names allow. */
function nameLabels(
  series: readonly DrawnSeries[],
  x: Scale,
  y: Scale,
  [right, bottom]: readonly [number, number],
): string[] {
  const ends = series
    .map(({ name, colour, points }) => {
      const end = points.at(-1)!;
      return { name, colour, from: x.at(end.x) + 1, height: y.at(end.y) };
    })
    .sort((a, b) => a.height - b.height);
  const placed = spreadApart(
    ends.map(({ height }) => height),
    SPACING,
    bottom,
  );
  return ends.flatMap(({ name, colour, from, height }, k) => [
    line([from, height], [right + 10, placed[k]!], `leader ${colour}`),
    label(name, { x: right + 13, y: placed[k]! + 4, width: WIDTH - right - 14 }),
  ]);
}
