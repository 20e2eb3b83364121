import { extent, linearScale, logScale } from '../../src/export/svg/scale.ts';
import { axisHeight, BottomAxis, GridLines, round, SideAxis } from './axis.tsx';
import { briefNumber, ChartText } from './chart-text.tsx';
import { Frame } from './frame.tsx';
import { widest } from './space.ts';
import { useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

const TOP = 22;

/** A histogram, one bar for each bin. */
export function Bins({
  bins,
  x,
  y,
  title,
}: {
  readonly bins: readonly Bin[];
  readonly x: { readonly label: string; readonly log?: boolean | undefined };
  readonly y: { readonly label: string };
  readonly title: string;
}) {
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const pointed = useCursor(bins.length);
  const bottom = TOP + Math.round(Math.min(300, Math.max(190, 0.42 * width)));
  const most = bins.reduce((tallest, { height }) => Math.max(tallest, height), 0);
  const up = linearScale([0, most || 1], [bottom, TOP + 4], 4);
  const left = widest(up.ticks.map(({ text }) => text)) + 8;
  const bounds = extent(bins.flatMap(({ from, to }) => [from, to]));
  const count = Math.max(2, Math.floor((width - left) / 70));
  const scale = x.log === true && bounds[0] > 0 ? logScale : linearScale;
  const across = scale(bounds, [left, width - 4], count);
  const binText = ({ from, to, height }: Bin) =>
    `${briefNumber(from)} to ${briefNumber(to)}: ${briefNumber(height)}`;
  const fullest = bins.find(({ height }) => height === most);
  return (
    <Frame
      box={box}
      width={measuredWidth}
      height={bottom + axisHeight(x.label, width)}
      title={title}
      finding={
        fullest === undefined
          ? 'No values.'
          : `From ${briefNumber(bounds[0])} to ${briefNumber(bounds[1])}; most in ${binText(fullest)}.`
      }
      cursor={pointed}
      near={(at) => {
        const found = bins.findIndex(({ from, to }) => at >= across.at(from) && at < across.at(to));
        return found < 0 ? undefined : found;
      }}
      describe={(at) => ({
        x: (across.at(bins[at].from) + across.at(bins[at].to)) / 2,
        y: TOP,
        beside: 'column',
        heading: `${briefNumber(bins[at].from)} to ${briefNumber(bins[at].to)}`,
        lines: [{ name: y.label, value: briefNumber(bins[at].height) }],
      })}
    >
      <ChartText x={0} y={12} width={width} style="soft">
        {y.label}
      </ChartText>
      <GridLines scale={across} bands={[[TOP, bottom]]} />
      {/* No 0 on the vertical axis: it would overlap the first number below. */}
      <SideAxis
        scale={{ ...up, ticks: up.ticks.filter(({ value }) => value > 0) }}
        x={left - 8}
        anchor="end"
      />
      <BottomAxis
        scale={across}
        y={bottom}
        width={width}
        middle={(left + width) / 2}
        name={x.label}
      />
      {bins.map(({ from, to, height }, k) => (
        <rect
          key={from}
          class={pointed.at === k ? 'bar pointed-bar' : 'bar'}
          x={round(across.at(from))}
          y={round(up.at(height))}
          width={Math.max(1, round(across.at(to) - across.at(from)) - 1)}
          height={round(bottom - up.at(height))}
        />
      ))}
      <path class="reference" d={`M${left} ${bottom}H${width - 4}`} />
    </Frame>
  );
}
