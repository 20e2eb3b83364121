import type { ResultFigure } from '../../../experiments/paper-result.ts';
import { Bins } from '../../charts/bins.tsx';
import { Lines } from '../../charts/lines.tsx';
import type { Series } from '../../charts/lines-layout.ts';
import { inOrder, measuredOf } from './series-order.ts';

/** Values that differ by less than this factor are better told apart on a linear axis. */
const WORTH_LOGARITHMS = 12;

/** Of the largest value: less is not worth a chart, and is told by the numbers below it. */
const LEAST_SPAN = 0.02;

export interface FigureProps {
  readonly figure: ResultFigure;
  readonly cursor?: number | undefined;
  readonly onCursor?: ((x: number) => void) | undefined;
}

/** A figure of an experiment, drawn so that lines keep their colours while they grow. */
export function FigureChart({ figure, cursor, onCursor }: FigureProps) {
  const { title, x, y } = figure;
  if (figure.kind === 'histogram') {
    const bins = figure.series[0].points.map((point) => ({
      from: point.x,
      to: point.to ?? point.x,
      height: point.y,
    }));
    return <Bins title={title} bins={bins} x={x} y={y} />;
  }
  return (
    <Lines
      title={title}
      series={seriesOf(figure)}
      first="given"
      x={x}
      y={{ label: y.label, log: y.log === true && isWide(figure), span: LEAST_SPAN }}
      cursor={cursor}
      onCursor={onCursor}
    />
  );
}

/** Ours first, which gives it the first colour and draws it on top; the oracle dashed, since ours lies on it. */
function seriesOf({ series }: ResultFigure): Series[] {
  return inOrder(series).map((one) => {
    const { name, role, points } = one;
    const banded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
    return {
      name,
      points: points.map((point) => [point.x, point.y] as const),
      ...(banded.length > 0 && {
        band: banded.map((point) => [point.x, point.low!, point.high!] as const),
      }),
      ...(role === 'oracle' && { dashed: true }),
      ...(role === 'printed' && { dotsOf: measuredOf(one, series)?.name ?? '' }),
    };
  });
}

function isWide({ series }: ResultFigure): boolean {
  const values = series.flatMap(({ points }) => points.map(({ y }) => y)).filter((y) => y > 0);
  return Math.max(...values) > WORTH_LOGARITHMS * Math.min(...values);
}
