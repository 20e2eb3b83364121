import { logScale, type Scale } from '../../src/export/svg/scale.ts';
import { byteText, countText } from '../ui/words.ts';
import { axisHeight, BottomAxis, Grid, round } from './axis.tsx';
import { ChartText, numberText } from './chart-text.tsx';
import { Frame } from './frame.tsx';
import { measured } from './room.ts';
import { type Told, useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

interface Part {
  readonly label: string;
  readonly bytes: number;
  readonly note?: string | undefined;
}

interface MeterProps {
  /** The first is what the others are compared with. */
  readonly parts: readonly Part[];
  readonly title?: string;
}

const LINE = 16;
const BAR = 12;
const AXIS_NAME = 'bytes, by powers of a thousand';

/** Bytes beside each other by orders of magnitude, from one byte on. */
export function Meter({ parts, title = 'Bytes sent' }: MeterProps) {
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const cursor = useCursor(parts.length);
  const together = parts.every(
    ({ label, bytes }) => measured(label) + measured(byteText(bytes)) + 16 <= width,
  );
  const words = together ? LINE : 2 * LINE;
  const rowHeight = words + BAR + 14;
  const bottom = parts.length * rowHeight;
  const scale = byteScale(parts, width);
  const topOf = (k: number) => k * rowHeight;
  const endOf = (bytes: number) => (bytes >= 1 ? Math.max(2, scale.at(bytes)) : 0);
  return (
    <Frame
      box={box}
      width={measuredWidth}
      height={bottom + axisHeight(AXIS_NAME, width)}
      title={title}
      finding={findingOf(parts)}
      cursor={cursor}
      near={(_, y) => {
        const k = Math.floor(y / rowHeight);
        return k >= 0 && k < parts.length ? k : undefined;
      }}
      tell={(k) => ({
        x: endOf(parts[k].bytes),
        y: topOf(k) + words + BAR / 2,
        beside: 'mark',
        heading: parts[k].label,
        lines: linesOf(parts, k),
      })}
    >
      <Grid
        scale={scale}
        bands={parts.map((_, k) => [topOf(k) + words, topOf(k) + words + BAR + 6])}
      />
      {parts.map(({ label, bytes }, k) => (
        <g key={`${k}-${label}`} class={k === 0 ? 'strong' : undefined}>
          <ChartText x={0} y={topOf(k) + 12} width={width}>
            {label}
          </ChartText>
          <ChartText
            x={together ? width : 0}
            y={topOf(k) + (together ? 12 : 12 + LINE)}
            anchor={together ? 'end' : 'start'}
            style="soft"
          >
            {byteText(bytes)}
          </ChartText>
          <rect
            class={k === 0 ? 'bar' : 'bar other'}
            x={0}
            y={topOf(k) + words + 3}
            width={round(endOf(bytes))}
            height={BAR}
            rx={2}
          />
          {cursor.at === k && (
            <rect
              class="picked"
              x={1}
              y={topOf(k) + words + 2}
              width={Math.max(4, round(endOf(bytes)) - 1)}
              height={BAR + 2}
            />
          )}
        </g>
      ))}
      <BottomAxis scale={scale} y={bottom - 4} width={width} middle={width / 2} name={AXIS_NAME} />
    </Frame>
  );
}

/** From one byte; marks at bytes, kilobytes, megabytes, … */
function byteScale(parts: readonly Part[], width: number): Scale {
  const most = parts.reduce((high, { bytes }) => Math.max(high, bytes), 1000);
  const { at, ticks } = logScale([1, most], [0, width], Number.POSITIVE_INFINITY);
  return {
    at,
    ticks: ticks
      .filter((_, power) => power % 3 === 0)
      .map(({ value }) => ({
        value,
        text: value === 1 ? '1 byte' : byteText(value).replace('.0 ', ' '),
      })),
  };
}

function linesOf(parts: readonly Part[], k: number): Told['lines'] {
  const { bytes, note } = parts[k];
  return [
    { value: `${countText(bytes)} bytes` },
    ...(k === 0 ? [] : [{ value: comparison(parts, k) }]),
    ...(note === undefined ? [] : [{ value: note }]),
  ].filter(({ value }) => value !== '');
}

/** How many times as much, or as little, as the first. */
function comparison(parts: readonly Part[], k: number): string {
  const times = parts[k].bytes / parts[0].bytes;
  if (!Number.isFinite(times) || times <= 0) return '';
  if (times === 1) return `as many as ${parts[0].label}`;
  const [factor, word] = times > 1 ? [times, 'more'] : [1 / times, 'fewer'];
  const text = factor >= 100 ? countText(Math.round(factor)) : numberText(factor, 2);
  return `${text} times ${word} than ${parts[0].label}`;
}

function findingOf(parts: readonly Part[]): string {
  const words = parts.map(({ label, bytes }, k) => {
    const compared = k === 0 ? '' : comparison(parts, k);
    return `${label} ${byteText(bytes)}${compared === '' ? '' : `, ${compared}`}`;
  });
  return `${words.join('; ')}.`;
}
