import { AXIS_HEIGHT, bottomAxis, leftAxis } from '../../src/export/svg/axis.ts';
import { drawing, rectangle, WIDTH } from '../../src/export/svg/drawing.ts';
import { label } from '../../src/export/svg/label.ts';
import type { Scale } from '../../src/export/svg/scale.ts';
import type { ResultFigure } from '../paper-result.ts';
import { resultNumberText } from '../text/value-text.ts';
import { axisScale, spaceForTicks } from './axis-scale.ts';
import { figureText } from './figure-text.ts';
import { KEY_TOP, keyHeight, seriesKey } from './series-key.ts';
import { type DrawnSeries, drawnSeries } from './series-look.ts';

const RIGHT = WIDTH - 16;
const HEIGHT = 200;
const TOP = 26;

/** Counts over bins, one series behind another; their names are above. */
export function histogramFigure(figure: ResultFigure): string {
  const series = drawnSeries(figure.series);
  const several = series.length > 1;
  const top = TOP + (several ? keyHeight(series) : 0);
  const bottom = top + HEIGHT;
  const points = series.flatMap((one) => one.points);
  const edges = points.flatMap((point) => [point.x, point.to ?? point.x]);
  const y = axisScale(figure.y, [0, ...points.map((point) => point.y)], [bottom, top], 4);
  const left = spaceForTicks(y);
  const x = axisScale(figure.x, edges, [left, RIGHT], 6);
  return drawing({ title: figure.title, description: figureText(figure) }, bottom + AXIS_HEIGHT, [
    ...(several ? seriesKey(series, [left, KEY_TOP], RIGHT - left) : []),
    label(figure.y.label, { x: 2, y: top - 14, style: 'soft', width: WIDTH - 4 }),
    leftAxis(y, left, RIGHT),
    bottomAxis(x, bottom, top, figure.x.label),
    ...series.map((one) => bins(one, x, y)),
  ]);
}

function bins({ points, colour, name }: DrawnSeries, x: Scale, y: Scale): string {
  return points
    .filter((point) => point.y > 0)
    .map((point) => {
      const [from, to] = [x.at(point.x), x.at(point.to ?? point.x)];
      const label = `${name}, ${resultNumberText(point.x)} to ${resultNumberText(point.to ?? point.x)}: ${resultNumberText(point.y)}`;
      const size = [Math.max(1, to - from - 0.5), y.at(0) - y.at(point.y)] as const;
      return rectangle([from, y.at(point.y)], size, `bin ${colour}`, label);
    })
    .join('\n');
}
