import { briefNumber, ChartText } from './chart-text.tsx';
import { tintStyle } from './heat-cells.tsx';
import type { Tint } from './heat-tint.ts';
import { measured } from './space.ts';

const BAR = 10;
const MOST_SWATCH = 44;

/** Height of the legend; its text goes beside it or under it. */
export function legendHeight(tint: Tint, empty: boolean, space: number): number {
  return legendText(tint, empty) === '' || fitsBeside(tint, empty, space) ? 44 : 60;
}

function legendText({ log }: Tint, empty: boolean): string {
  return [log ? 'tints by orders of magnitude' : '', empty ? 'hatched: no value' : '']
    .filter((text) => text !== '')
    .join('; ');
}

function fitsBeside(tint: Tint, empty: boolean, space: number): boolean {
  return 5 * MOST_SWATCH + 16 + measured(legendText(tint, empty)) <= space;
}

/** The tints with the values at their ends and middle. */
export function HeatLegend({
  tint,
  x,
  y,
  width,
  numbers,
  empty,
}: {
  readonly tint: Tint;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly numbers: boolean;
  /** Whether some cells have no value. */
  readonly empty: boolean;
}) {
  const { legend } = tint;
  const swatch = Math.min(MOST_SWATCH, (width - x - 2) / legend.length);
  const shown = new Set([0, (legend.length - 1) / 2, legend.length - 1]);
  const centre = (k: number, text: string) => {
    const half = measured(text) / 2;
    return Math.min(width - half, Math.max(half, x + (k + 0.5) * swatch));
  };
  const beside = fitsBeside(tint, empty, width - x);
  return (
    <g class={numbers ? 'heat light' : 'heat'}>
      <rect
        class="ground"
        x={x - 0.5}
        y={y - 0.5}
        width={swatch * legend.length}
        height={BAR + 1}
      />
      {legend.map((value, k) => (
        <rect
          key={value}
          {...tintStyle(tint.of(value))}
          x={x + k * swatch}
          y={y}
          width={swatch - 1}
          height={BAR}
        />
      ))}
      {legend.map((value, k) => {
        const text = briefNumber(value, 2);
        return shown.has(k) ? (
          <ChartText key={value} x={centre(k, text)} y={y + 25} anchor="middle" style="soft">
            {text}
          </ChartText>
        ) : null;
      })}
      <ChartText
        x={beside ? x + swatch * legend.length + 16 : 0}
        y={beside ? y + BAR : y + 43}
        width={width}
        style="soft"
      >
        {legendText(tint, empty)}
      </ChartText>
    </g>
  );
}
