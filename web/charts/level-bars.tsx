import '../style/charts.css';
import { ChartText } from './chart-text.tsx';
import { BARS_HEIGHT, CELL_HEIGHT, CELL_WIDTH } from './histogram.tsx';
import { measured, SMALL_FONT } from './space.ts';

/** Most levels with their own bar. */
const MOST_LEVELS = 8;

/** Number of rows of each level, small enough for a cell of a table; the most common level is named. */
export function LevelBars({
  levels,
  counts,
}: {
  readonly levels: readonly string[];
  readonly counts: readonly number[];
}) {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const order = [...levels.keys()].sort((a, b) => counts[b] - counts[a]);
  const shown = order.slice(0, MOST_LEVELS);
  const more = levels.length - shown.length;
  const most = Math.max(...counts, 1);
  const step = Math.min(24, CELL_WIDTH / Math.max(1, shown.length));
  const share = (k: number) => `${Math.round((100 * counts[k]) / Math.max(1, rows))} %`;
  const first = rows > 0 ? share(order[0]) : '';
  const end = more > 0 ? `${more} more` : first;
  const space = CELL_WIDTH - (end === '' ? 0 : measured(end, SMALL_FONT) + 8);
  const texts = [
    ...shown.map((k) => `${levels[k]} ${counts[k]}`),
    ...(more > 0 ? [`${more} more levels`] : []),
  ];
  return (
    <svg
      class="cell-chart"
      role="img"
      aria-label={levels.length === 0 ? 'no levels' : texts.join(', ')}
      width={CELL_WIDTH}
      height={CELL_HEIGHT}
      viewBox={`0 0 ${CELL_WIDTH} ${CELL_HEIGHT}`}
    >
      {shown.map((k, place) => {
        const height = counts[k] === 0 ? 0 : Math.max(1.5, (counts[k] / most) * BARS_HEIGHT);
        return (
          <g key={levels[k]}>
            <rect
              class={place === 0 ? 'bar' : 'bar faint'}
              x={place * step}
              y={BARS_HEIGHT - height}
              width={step - 2}
              height={height}
            />
            <rect class="reach" x={place * step} y={0} width={step} height={BARS_HEIGHT}>
              <title>{`${levels[k]}: ${counts[k]}, ${share(k)}`}</title>
            </rect>
          </g>
        );
      })}
      <path class="floor" d={`M0 ${BARS_HEIGHT + 0.5}H${CELL_WIDTH}`} />
      <ChartText x={0} y={32} width={space} size="small" style="soft">
        {levels.length === 0 ? 'no levels' : levels[order[0]]}
      </ChartText>
      <ChartText x={CELL_WIDTH} y={32} anchor="end" size="small" style="soft">
        {end}
      </ChartText>
    </svg>
  );
}
