import '../style/charts.css';
import { briefNumber, ChartText } from './chart-text.tsx';
import { measured, SMALL_FONT } from './space.ts';

/** The size of a picture in a cell of a table. */
export const CELL_WIDTH = 120;
export const CELL_HEIGHT = 34;
/** Height of its bars, above its text. */
export const BARS_HEIGHT = 19;

interface HistogramProps {
  /** Rows in each of the equal bins. */
  readonly counts: readonly number[];
  /** From the start of the first bin to the end of the last. */
  readonly range: readonly [number, number];
  readonly unit?: string | undefined;
  readonly label: string;
}

/** The histogram of a column, small enough for a cell of a table. */
export function HistogramChart({ counts, range: [low, high], unit, label }: HistogramProps) {
  const full = [...counts.keys()].filter((k) => counts[k] > 0);
  const [first, last] = [full[0] ?? 0, full.at(-1) ?? -1];
  const bin = (high - low) / Math.max(1, counts.length);
  const edge = (k: number) => (k === counts.length ? high : low + k * bin);
  const shown = counts.slice(first, last + 1);
  const most = Math.max(...shown, 0);
  const [from, to] = [briefNumber(edge(first)), briefNumber(edge(last + 1))];
  const after = unit === undefined ? '' : ` ${unit}`;
  const step = Math.min(24, CELL_WIDTH / Math.max(1, shown.length));
  const start = (CELL_WIDTH - step * shown.length) / 2;
  const between = (k: number) =>
    `${briefNumber(edge(first + k))} to ${briefNumber(edge(first + k + 1))}${after}: ${shown[k]}`;
  const fullest = shown.indexOf(most);
  const range = from === to ? from : `${from} to ${to}`;
  const text = () => {
    if (shown.length === 0) return 'no values';
    if (from === to) return `every value is ${from}${after}`;
    return `${range}${after}; most in ${between(fullest)} rows`;
  };
  const alone = from === to || measured(from, SMALL_FONT) + measured(to, SMALL_FONT) > CELL_WIDTH;
  return (
    <svg
      class="cell-chart"
      role="img"
      aria-label={`${label}: ${text()}`}
      width={CELL_WIDTH}
      height={CELL_HEIGHT}
      viewBox={`0 0 ${CELL_WIDTH} ${CELL_HEIGHT}`}
    >
      {shown.map((count, k) => {
        const height = count === 0 ? 0 : Math.max(1.5, (count / most) * BARS_HEIGHT);
        return (
          <g key={edge(first + k)}>
            <rect
              class="bar"
              x={start + k * step}
              y={BARS_HEIGHT - height}
              width={Math.max(1, step - (step > 4 ? 1 : 0.3))}
              height={height}
            />
            <rect class="reach" x={start + k * step} y={0} width={step} height={BARS_HEIGHT}>
              <title>{between(k)}</title>
            </rect>
          </g>
        );
      })}
      <path class="floor" d={`M0 ${BARS_HEIGHT + 0.5}H${CELL_WIDTH}`} />
      {shown.length === 0 || alone ? (
        <ChartText
          x={CELL_WIDTH / 2}
          y={32}
          anchor="middle"
          width={CELL_WIDTH}
          size="small"
          style="soft"
        >
          {shown.length === 0 ? 'no values' : range}
        </ChartText>
      ) : (
        <g>
          <ChartText x={0} y={32} size="small" style="soft">
            {from}
          </ChartText>
          <ChartText x={CELL_WIDTH} y={32} anchor="end" size="small" style="soft">
            {to}
          </ChartText>
        </g>
      )}
    </svg>
  );
}
