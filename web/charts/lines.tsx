import type { ComponentChildren } from 'preact';
import type { Scale } from '../../src/export/svg/scale.ts';
import { axisHeight, BottomAxis, GridLines, round, SideAxis } from './axis.tsx';
import { ChartText } from './chart-text.tsx';
import { Frame } from './frame.tsx';
import {
  endLabels,
  type LinesData,
  type LinesLayout,
  linesLayout,
  namedSeries,
  nameLines,
  PLOT_INSET,
  type PlaceMark,
  type Series,
} from './lines-layout.ts';
import { colourClass, cursorTextAt, linesFinding } from './lines-text.ts';
import { useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

interface LinesProps {
  readonly series: readonly Series[];
  readonly x: {
    readonly label: string;
    readonly log?: boolean | undefined;
    /** Its ends; those of the values unless given. */
    readonly ends?: readonly [number, number] | undefined;
  };
  readonly y: {
    readonly label: string;
    readonly log?: boolean | undefined;
    /** Smallest span of a linear axis, as a share of the largest value, so that tiny differences do not fill the chart. */
    readonly span?: number | undefined;
  };
  readonly marks?: readonly PlaceMark[] | undefined;
  /** Which lines have the first colours; the largest unless given. */
  readonly first?: 'largest' | 'given';
  /** Position of a slider outside the chart. */
  readonly cursor?: number | undefined;
  /** Called when a place is pressed, dragged to, or reached by keys; not while pointing. */
  readonly onCursor?: ((x: number) => void) | undefined;
  /** A control below the chart, between these two places, counted in pixels from its left. */
  readonly below?:
    | ((edges: readonly [left: number, right: number]) => ComponentChildren)
    | undefined;
  readonly title: string;
}

/** A line chart. Each line has its name at its end; at most eight lines are named. */
export function Lines(props: LinesProps) {
  const { series, x, y, marks = [], first = 'largest', cursor, onCursor, title } = props;
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const data: LinesData = {
    series,
    log: x.log === true,
    xEnds: x.ends,
    yLog: y.log === true,
    ySpan: y.span,
    marks,
    named: namedSeries(series, first),
  };
  const layout = linesLayout(data, width);
  const { plot } = layout;
  const places = placesOf(series);
  const pointed = useCursor(places.length);
  const shown = pointed.at === undefined ? cursor : places[pointed.at];
  const start = cursor === undefined ? 0 : nearest(places, layout.x, layout.x.at(cursor));
  const order = [...series.keys()].sort((a, b) => data.named.indexOf(a) - data.named.indexOf(b));
  if (first === 'given') {
    // The first line is on top, because the chart is about it; dashed lines are above it and do not hide it.
    order.sort(
      (a, b) => Number(series[a].dashed ?? false) - Number(series[b].dashed ?? false) || b - a,
    );
  }
  const chart = (
    <Frame
      box={box}
      width={measuredWidth}
      height={plot.bottom + axisHeight(x.label, width)}
      title={title}
      finding={linesFinding(data, x.label)}
      cursor={pointed}
      near={(across, down) =>
        across < plot.left - 8 || across > plot.right + 8 || down < 0 || down > plot.bottom + 20
          ? undefined
          : nearest(places, layout.x, across)
      }
      describe={(at) => cursorTextAt(data, places[at], x.label, layout)}
      start={start}
      onChoose={(at) => onCursor?.(places[at])}
    >
      <ChartText
        x={layout.names === 'right' ? 0 : width}
        y={12}
        anchor={layout.names === 'right' ? 'start' : 'end'}
        width={width}
        style="soft"
      >
        {y.label}
      </ChartText>
      <GridLines scale={layout.x} bands={[[plot.top, plot.bottom]]} />
      <path
        class="grid"
        d={layout.y.ticks
          .map(({ value }) => `M${plot.left} ${round(layout.y.at(value))}H${plot.right}`)
          .join('')}
      />
      {layout.y.ticks.some(({ value }) => value === 0) && (
        <path class="reference" d={`M${plot.left} ${round(layout.y.at(0))}H${plot.right}`} />
      )}
      <SideAxis
        scale={layout.y}
        x={layout.names === 'right' ? plot.left - 8 : plot.right + 8}
        anchor={layout.names === 'right' ? 'end' : 'start'}
      />
      <BottomAxis
        scale={layout.x}
        y={plot.bottom}
        width={width}
        middle={(plot.left + plot.right) / 2}
        name={x.label}
      />
      {layout.flags.map(({ at, base }, k) => (
        <path key={`${k}-${at}`} class="placed" d={`M${round(at)} ${base - 9}V${plot.bottom}`} />
      ))}
      {layout.flags.map(({ start: from, base, text }, k) => (
        <ChartText key={`${k}-${text}`} x={from} y={base} style="flag">
          {text}
        </ChartText>
      ))}
      {order.map((k) => (
        <Curve
          key={series[k].name}
          series={series[k]}
          style={colourClass(data, k)}
          layout={layout}
        />
      ))}
      {data.named.length > 1 && <EndLabels data={data} layout={layout} width={width} />}
      {shown !== undefined && <Needle data={data} at={shown} layout={layout} />}
    </Frame>
  );
  if (props.below === undefined) return chart;
  return (
    <div>
      {chart}
      {props.below([plot.left + PLOT_INSET, plot.right - PLOT_INSET])}
    </div>
  );
}

function Curve({
  series: { points, band, dotsOf, dashed = false },
  style,
  layout: { x, y },
}: {
  readonly series: Series;
  readonly style: string;
  readonly layout: LinesLayout;
}) {
  const sorted = points.toSorted((a, b) => a[0] - b[0]);
  const alone = sorted.filter((point) => point.every(Number.isFinite));
  return (
    <g class={style}>
      {band !== undefined && <path class="band" d={bandPath(band, x, y)} />}
      {dotsOf === undefined && (
        <path class={dashed ? 'line dashed' : 'line'} d={linePath(sorted, x, y)} />
      )}
      {(dotsOf !== undefined || alone.length === 1) &&
        alone.map(([across, up]) => (
          <circle key={across} class="dot" cx={round(x.at(across))} cy={round(y.at(up))} r={4} />
        ))}
    </g>
  );
}

function linePath(points: Series['points'], x: Scale, y: Scale): string {
  let pen = 'M';
  return points
    .map(([across, up]) => {
      if (!Number.isFinite(across) || !Number.isFinite(up)) {
        pen = 'M';
        return '';
      }
      const part = `${pen}${round(x.at(across))} ${round(y.at(up))}`;
      pen = 'L';
      return part;
    })
    .join('');
}

function bandPath(band: NonNullable<Series['band']>, x: Scale, y: Scale): string {
  const finite = band
    .filter((place) => place.every(Number.isFinite))
    .toSorted((a, b) => a[0] - b[0]);
  if (finite.length === 0) return '';
  const upper = finite.map(([across, , high]) => [across, high] as const);
  const lower = finite.map(([across, low]) => [across, low] as const).toReversed();
  return `${linePath([...upper, ...lower], x, y)}Z`;
}

function EndLabels({
  data,
  layout,
  width,
}: {
  readonly data: LinesData;
  readonly layout: LinesLayout;
  readonly width: number;
}) {
  const { names, plot, nameWidth, twoLines } = layout;
  const right = names === 'right';
  const [edge, to] = right ? [plot.right, plot.right + 16] : [plot.left, plot.left - 16];
  return (
    <g>
      {endLabels(data, layout).map(({ k, across, end, middle }) => (
        <g key={data.series[k].name} class={`series s${data.named.indexOf(k) + 1}`}>
          <path
            class="leader"
            d={`M${round(across)} ${round(end)}H${edge}L${to} ${round(middle)}`}
          />
          {(twoLines ? nameLines(data.series[k].name, nameWidth) : [data.series[k].name]).map(
            (text, line, { length }) => (
              <ChartText
                key={text}
                x={right ? width - nameWidth : nameWidth}
                y={middle + 4 + 13 * (line - (length - 1) / 2)}
                anchor={right ? 'start' : 'end'}
                width={nameWidth}
              >
                {text}
              </ChartText>
            ),
          )}
        </g>
      ))}
    </g>
  );
}

/** The vertical line at the cursor, with a dot on each named line. */
function Needle({
  data: { series, named },
  at,
  layout: { x, y, plot },
}: {
  readonly data: LinesData;
  readonly at: number;
  readonly layout: LinesLayout;
}) {
  const across = Math.min(plot.right, Math.max(plot.left, x.at(at)));
  return (
    <g>
      <path class="needle" d={`M${round(across)} ${plot.top}V${plot.bottom}`} />
      {named.map((k, rank) => {
        const height = heightAt(series[k], across, x, y);
        return height === undefined ? null : (
          <g key={series[k].name} class={`series s${rank + 1}`}>
            <circle class="dot" cx={round(across)} cy={round(height)} r={3.5} />
          </g>
        );
      })}
    </g>
  );
}

/** Height of a line at a horizontal place. */
function heightAt({ points }: Series, across: number, x: Scale, y: Scale): number | undefined {
  const drawn = points
    .filter((point) => point.every(Number.isFinite))
    .map(([a, b]) => [x.at(a), y.at(b)] as const)
    .sort((a, b) => a[0] - b[0]);
  const next = drawn.findIndex(([a]) => a >= across - 1e-9);
  if (next < 0) return undefined;
  const [b, a] = [drawn[next], drawn[next - 1]];
  if (a === undefined || b[0] === a[0]) return Math.abs(b[0] - across) < 1 ? b[1] : undefined;
  return a[1] + ((across - a[0]) / (b[0] - a[0])) * (b[1] - a[1]);
}

function placesOf(series: readonly Series[]): number[] {
  const places = new Set(series.flatMap(({ points }) => points.map(([x]) => x)));
  return [...places].filter(Number.isFinite).sort((a, b) => a - b);
}

function nearest(places: readonly number[], x: Scale, across: number): number {
  return places.reduce(
    (best, place, k) =>
      Math.abs(x.at(place) - across) < Math.abs(x.at(places[best]) - across) ? k : best,
    0,
  );
}
