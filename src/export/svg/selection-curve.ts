import { significant } from '../../text/number-text.ts';
import { AXIS_HEIGHT, bottomAxis, leftAxis } from './axis.ts';
import { type Caption, dotMark, drawing, line, px, rectangle, WIDTH } from './drawing.ts';
import { extent, linearScale, logScale } from './scale.ts';

export interface SelectionCurve extends Caption {
  readonly points: readonly {
    readonly ridge: number;
    readonly score: number;
    /** Standard error of the score. */
    readonly error?: number;
  }[];
  readonly chosen: number;
  /** Where the score is smallest, if another ridge was chosen. */
  readonly minimum?: number;
  /** Ridges that score about as well. */
  readonly flat?: readonly [number, number];
}

const LEFT = 62;
const RIGHT = WIDTH - 12;
const TOP = 10;
const BOTTOM = 180;

/** The score of each ridge; the chosen one, the best one and the flat range are marked. */
export function selectionCurve(curve: SelectionCurve): string {
  const points = curve.points
    .filter(({ ridge, score }) => ridge > 0 && Number.isFinite(score))
    .sort((a, b) => a.ridge - b.ridge);
  const [low, high] = extent(points.map(({ ridge }) => ridge));
  const x = logScale([low || 1, high || 1], [LEFT, RIGHT], 6);
  const scores = points.flatMap(({ score, error = 0 }) => [score - error, score + error]);
  const y = linearScale(extent(scores), [BOTTOM, TOP], 4);
  const within = (ridge: number) => x.at(Math.min(high, Math.max(low, ridge)));
  const scoreAt = (ridge: number) =>
    points.reduce((best, point) =>
      Math.abs(Math.log(point.ridge / ridge)) < Math.abs(Math.log(best.ridge / ridge))
        ? point
        : best,
    ).score;
  const path = points
    .map(({ ridge, score }, k) => `${k === 0 ? 'M' : 'L'}${px(x.at(ridge))} ${px(y.at(score))}`)
    .join('');
  const mark = (ridge: number, style: string, what: string) =>
    dotMark(
      within(ridge),
      y.at(scoreAt(ridge)),
      5,
      style,
      `${what}: ridge ${significant(ridge, 3)}`,
    );
  const { flat, minimum, chosen } = curve;
  return drawing(curve, BOTTOM + AXIS_HEIGHT, [
    ...(flat === undefined
      ? []
      : [
          rectangle(
            [within(flat[0]), TOP],
            [Math.max(1, within(flat[1]) - within(flat[0])), BOTTOM - TOP],
            'flat',
            `about as good: ${significant(flat[0], 3)} to ${significant(flat[1], 3)}`,
          ),
        ]),
    leftAxis(y, LEFT, RIGHT),
    bottomAxis(x, BOTTOM, TOP, 'ridge'),
    ...points.flatMap(({ ridge, score, error }) =>
      error === undefined
        ? []
        : [line([x.at(ridge), y.at(score - error)], [x.at(ridge), y.at(score + error)], 'error')],
    ),
    `<path class="series s1" d="${path}"/>`,
    line([within(chosen), TOP], [within(chosen), BOTTOM], 'chosen'),
    ...(minimum === undefined ? [] : [mark(minimum, 'minimum', 'smallest score')]),
    ...(points.length === 0 || !(chosen > 0) ? [] : [mark(chosen, 'point', 'chosen')]),
  ]);
}
