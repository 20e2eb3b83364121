import { linearScale, type Scale } from '../../src/export/svg/scale.ts';
import { axisHeight, BottomAxis, GridLines, round, uprights } from './axis.tsx';
import { ChartNumber, ChartText, isPresent } from './chart-text.tsx';
import {
  excludesReference,
  type ForestRow,
  forestLayout,
  forestWindow,
  valueText,
} from './forest-layout.ts';
import { Frame } from './frame.tsx';
import { measured } from './space.ts';
import { type CursorText, useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

interface ForestProps {
  readonly rows: readonly ForestRow[];
  /** A value marked in all rows, such as 0. */
  readonly reference: number;
  readonly axis: string;
  readonly title: string;
}

const TOP = 4;
const INSET = 9;
const LEGEND_HEIGHT = 20;

/** A forest plot: estimates with intervals. A point is hollow if its interval includes the reference. */
export function ForestChart({ rows, reference, axis, title }: ForestProps) {
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const cursor = useCursor(rows.length);
  const { rowHeight, plot, band, label, value } = forestLayout(rows, width);
  const bottom = TOP + rows.length * rowHeight;
  const kinds = new Set(rows.map((row) => excludesReference(row, reference)));
  const legend = kinds.has(true) && kinds.has(false);
  const height = bottom + axisHeight(axis, width) + (legend ? LEGEND_HEIGHT : 0);
  const scale = linearScale(
    forestWindow(rows, reference),
    [plot[0] + INSET, plot[1] - INSET],
    Math.max(2, Math.min(8, Math.floor((plot[1] - plot[0]) / 75))),
  );
  const topOf = (k: number) => TOP + k * rowHeight;
  const bands = rows.map((_, k) => [topOf(k) + band[0], topOf(k) + band[1]] as const);
  const whole = rows.find(({ summary, estimate }) => summary === true && isPresent(estimate));
  const place = (x: number) => Math.min(plot[1], Math.max(plot[0], x));
  const describe = (k: number): CursorText => ({
    x: place(isPresent(rows[k].estimate) ? scale.at(rows[k].estimate) : plot[0]),
    y: (bands[k][0] + bands[k][1]) / 2,
    beside: 'mark',
    heading: rows[k].label,
    lines: linesOf(rows[k], reference),
  });
  return (
    <Frame
      box={box}
      width={measuredWidth}
      height={height}
      title={title}
      finding={findingOf(rows, reference)}
      cursor={cursor}
      near={(_, y) => {
        const k = Math.floor((y - TOP) / rowHeight);
        return k >= 0 && k < rows.length ? k : undefined;
      }}
      describe={describe}
    >
      {cursor.at !== undefined && (
        <rect
          class="pointed"
          x={0}
          y={topOf(cursor.at) - 2}
          width={width}
          height={rowHeight}
          rx={3}
        />
      )}
      <GridLines scale={scale} bands={bands} />
      <path class="reference" d={uprights([scale.at(reference)], bands)} />
      {whole !== undefined && (
        <path class="whole" d={uprights([scale.at(whole.estimate)], bands)} />
      )}
      {rows.map((row, k) => (
        <g key={`${k}-${row.label}`} class={row.summary === true ? 'strong' : undefined}>
          <ChartText x={0} y={topOf(k) + label.y} width={label.width}>
            {row.label}
          </ChartText>
          <ChartText {...value} y={topOf(k) + value.y} width={width} style="soft">
            {valueText(row)}
          </ChartText>
          <Mark
            row={row}
            y={(bands[k][0] + bands[k][1]) / 2}
            scale={scale}
            plot={plot}
            reference={reference}
          />
        </g>
      ))}
      <BottomAxis
        scale={scale}
        y={bottom}
        width={width}
        middle={(plot[0] + plot[1]) / 2}
        name={axis}
      />
      {legend && (
        <Legend
          reference={ChartNumber(reference)}
          middle={(plot[0] + plot[1]) / 2}
          y={height - 8}
          width={width}
        />
      )}
    </Frame>
  );
}

/** The point and its interval, with arrows if the interval does not fit. */
function Mark({
  row,
  y,
  scale,
  plot: [from, to],
  reference,
}: {
  readonly row: ForestRow;
  readonly y: number;
  readonly scale: Scale;
  readonly plot: readonly [number, number];
  readonly reference: number;
}) {
  const { estimate, low, high, summary, size } = row;
  if (!isPresent(estimate)) return null;
  const x = scale.at(estimate);
  const [left, right] =
    isPresent(low) && isPresent(high) ? [scale.at(low), scale.at(high)] : [x, x];
  const ends = [Math.min(to, Math.max(from, left)), Math.min(to, Math.max(from, right))];
  const arrows = [left < from ? arrow(from, y, 1) : '', right > to ? arrow(to, y, -1) : ''].join(
    '',
  );
  const seen = x >= from && x <= to;
  if (summary === true && seen) {
    const [a, b] = [Math.min(ends[0], x - 5), Math.max(ends[1], x + 5)].map(round);
    return (
      <path class="diamond" d={`M${a} ${y}L${round(x)} ${y - 7}L${b} ${y}L${round(x)} ${y + 7}Z`} />
    );
  }
  const open = excludesReference(row, reference) === false;
  return (
    <g>
      <path class="interval" d={`M${round(ends[0])} ${y}H${round(ends[1])}${arrows}`} />
      {seen && (
        <circle
          class={open ? 'point open' : 'point'}
          cx={round(x)}
          cy={y}
          r={size === undefined ? 4.5 : round(3 + 4.5 * Math.sqrt(Math.min(1, Math.max(0, size))))}
        />
      )}
    </g>
  );
}

function arrow(x: number, y: number, direction: 1 | -1): string {
  return `M${x + 6 * direction} ${y - 4.5}L${x} ${y}L${x + 6 * direction} ${y + 4.5}`;
}

function Legend({
  reference,
  middle,
  y,
  width,
}: {
  readonly reference: string;
  readonly middle: number;
  readonly y: number;
  readonly width: number;
}) {
  const texts = [`interval excludes ${reference}`, `interval includes ${reference}`];
  const sizes = texts.map((text) => measured(text) + 14);
  const whole = sizes[0] + 18 + sizes[1];
  const start = Math.min(width - whole, Math.max(0, middle - whole / 2));
  const second = start + sizes[0] + 18;
  return (
    <g>
      <circle class="point" cx={start + 5} cy={y - 4} r={4} />
      <ChartText x={start + 14} y={y} style="soft">
        {texts[0]}
      </ChartText>
      <circle class="point open" cx={second + 5} cy={y - 4} r={4} />
      <ChartText x={second + 14} y={y} style="soft">
        {texts[1]}
      </ChartText>
    </g>
  );
}

function linesOf(row: ForestRow, reference: number): CursorText['lines'] {
  const out = excludesReference(row, reference);
  return [
    { value: valueText(row) },
    ...(out === undefined
      ? []
      : [{ value: `The interval ${out ? 'excludes' : 'includes'} ${ChartNumber(reference)}.` }]),
    ...(row.note === undefined || !isPresent(row.estimate) ? [] : [{ value: row.note }]),
  ];
}

/** All rows if they are few; else those farthest from the reference. */
function findingOf(rows: readonly ForestRow[], reference: number): string {
  const intervals = rows
    .map((row) => excludesReference(row, reference))
    .filter((out) => out !== undefined);
  const distance = ({ estimate }: ForestRow) =>
    isPresent(estimate) ? Math.abs(estimate - reference) : -1;
  const few = rows.length <= 8;
  const named = few ? rows : rows.toSorted((a, b) => distance(b) - distance(a)).slice(0, 5);
  return [
    intervals.length === 0
      ? `${rows.length} estimates.`
      : `${intervals.filter((out) => out).length} of ${intervals.length} intervals exclude ${ChartNumber(reference)}.`,
    few ? '' : `Farthest from ${ChartNumber(reference)}:`,
    `${named.map((row) => `${row.label} ${valueText(row)}`).join('; ')}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
