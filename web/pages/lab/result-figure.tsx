import type { ResultFigure } from '../../../experiments/paper-result.ts';
import { Bins } from '../../charts/bins.tsx';
import { Lines } from '../../charts/lines.tsx';
import type { Series } from '../../charts/lines-layout.ts';
import { inOrder, measuredOf } from './series-order.ts';

/** Values that differ by less than this factor are easier to compare on a linear axis. */
const WORTH_LOGARITHMS = 12;

/** Smallest span of the axis, as a share of the largest value. Smaller differences are only in the numbers below. */
const LEAST_SPAN = 0.02;

export interface FigureProps {
  readonly figure: ResultFigure;
  readonly cursor?: number | undefined;
  readonly onCursor?: ((x: number) => void) | undefined;
}

/** A figure of an experiment; lines keep their colours while they grow. */
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

/** The exact fusion first: it gets the first colour and is drawn on top. The oracle is dashed, because the exact line covers it. */
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
