import { logScale, type Scale } from '../../src/export/svg/scale.ts';
import { bytesText, countText } from '../ui/text.ts';
import { axisHeight, BottomAxis, GridLines, round } from './axis.tsx';
import { ChartNumber, ChartText } from './chart-text.tsx';
import { Frame } from './frame.tsx';
import { measured } from './space.ts';
import { type CursorText, useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';

interface Part {
  readonly label: string;
  readonly bytes: number;
  readonly note?: string | undefined;
}

interface ByteBarsProps {
  /** The others are compared with the first. */
  readonly parts: readonly Part[];
  readonly title?: string;
}

const LINE = 16;
const BAR = 12;
const AXIS_NAME = 'bytes, by powers of a thousand';

/** Bars for numbers of bytes, on a logarithmic scale that starts at one byte. */
export function ByteBars({ parts, title = 'Bytes sent' }: ByteBarsProps) {
  const [box, measuredWidth] = useWidth();
  const width = measuredWidth ?? 640;
  const cursor = useCursor(parts.length);
  const together = parts.every(
    ({ label, bytes }) => measured(label) + measured(bytesText(bytes)) + 16 <= width,
  );
  const textHeight = together ? LINE : 2 * LINE;
  const rowHeight = textHeight + BAR + 14;
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
      describe={(k) => ({
        x: endOf(parts[k].bytes),
        y: topOf(k) + textHeight + BAR / 2,
        beside: 'mark',
        heading: parts[k].label,
        lines: linesOf(parts, k),
      })}
    >
      <GridLines
        scale={scale}
        bands={parts.map((_, k) => [topOf(k) + textHeight, topOf(k) + textHeight + BAR + 6])}
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
            {bytesText(bytes)}
          </ChartText>
          <rect
            class={k === 0 ? 'bar' : 'bar other'}
            x={0}
            y={topOf(k) + textHeight + 3}
            width={round(endOf(bytes))}
            height={BAR}
            rx={2}
          />
          {cursor.at === k && (
            <rect
              class="picked"
              x={1}
              y={topOf(k) + textHeight + 2}
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

/** From one byte; ticks at bytes, kilobytes, megabytes, … */
function byteScale(parts: readonly Part[], width: number): Scale {
  const most = parts.reduce((high, { bytes }) => Math.max(high, bytes), 1000);
  const { at, ticks } = logScale([1, most], [0, width], Number.POSITIVE_INFINITY);
  return {
    at,
    ticks: ticks
      .filter((_, power) => power % 3 === 0)
      .map(({ value }) => ({
        value,
        text: value === 1 ? '1 byte' : bytesText(value).replace('.0 ', ' '),
      })),
  };
}

function linesOf(parts: readonly Part[], k: number): CursorText['lines'] {
  const { bytes, note } = parts[k];
  return [
    { value: `${countText(bytes)} bytes` },
    ...(k === 0 ? [] : [{ value: comparison(parts, k) }]),
    ...(note === undefined ? [] : [{ value: note }]),
  ].filter(({ value }) => value !== '');
}

/** How many times more or fewer bytes than the first. */
function comparison(parts: readonly Part[], k: number): string {
  const times = parts[k].bytes / parts[0].bytes;
  if (!Number.isFinite(times) || times <= 0) return '';
  if (times === 1) return `as many as ${parts[0].label}`;
  const [factor, word] = times > 1 ? [times, 'more'] : [1 / times, 'fewer'];
  const text = factor >= 100 ? countText(Math.round(factor)) : ChartNumber(factor, 2);
  return `${text} times ${word} than ${parts[0].label}`;
}

function findingOf(parts: readonly Part[]): string {
  const texts = parts.map(({ label, bytes }, k) => {
    const compared = k === 0 ? '' : comparison(parts, k);
    return `${label} ${bytesText(bytes)}${compared === '' ? '' : `, ${compared}`}`;
  });
  return `${texts.join('; ')}.`;
}
