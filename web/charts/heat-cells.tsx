import { useId } from 'preact/hooks';
import { round } from './axis.tsx';
import type { HeatLayout } from './heat-layout.ts';
import type { Tint } from './heat-tint.ts';

const STEPS = 16;
/** Width in pixels from which a cell has space for a minus sign. */
const SPACE_FOR_SIGN = 9;

/** The cells as one path for each tint, so that thousands are drawn fast. */
export function HeatCells({
  values,
  count,
  tint,
  layout,
}: {
  readonly values: readonly (readonly (number | null)[])[];
  readonly count: number;
  readonly tint: Tint;
  readonly layout: HeatLayout;
}) {
  const { left, top, cell, bottom, numbers } = layout;
  const hatch = useId();
  const paths = new Map<number | null, string[]>();
  const minuses: Record<'weak' | 'strong', string[]> = { weak: [], strong: [] };
  for (let i = 0; i < count; i++) {
    const y = top + i * cell.height;
    for (let j = 0; j < count; ) {
      const step = stepOf(tint.of(values[i]?.[j]));
      let end = j + 1;
      while (cell.gap === 0 && end < count && stepOf(tint.of(values[i]?.[end])) === step) end++;
      const x = left + j * cell.width;
      const [w, h] = [(end - j) * cell.width - cell.gap, cell.height - cell.gap];
      if (step !== 0) {
        const path = paths.get(step) ?? [];
        path.push(`M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`);
        paths.set(step, path);
      }
      if (step !== null && step < -STEPS / 8 && !numbers && cell.width >= SPACE_FOR_SIGN) {
        minuses[step < -0.6 * STEPS ? 'strong' : 'weak'].push(
          `M${round(x + w / 2 - 2.5)} ${round(y + h / 2)}h5`,
        );
      }
      j = end;
    }
  }
  return (
    <g class={numbers ? 'heat light' : 'heat'}>
      <rect
        class="ground"
        x={left - 0.5}
        y={top - 0.5}
        width={count * cell.width}
        height={bottom - top}
      />
      {[...paths].map(([step, parts]) => (
        <path key={step} {...tintStyle(step === null ? null : step / STEPS)} d={parts.join('')} />
      ))}
      <pattern id={hatch} width={5} height={5} patternUnits="userSpaceOnUse">
        <path class="hatch" d="M0 5L5 0" />
      </pattern>
      <path style={{ fill: `url(#${hatch})` }} d={paths.get(null)?.join('') ?? ''} />
      <path class="minus" d={minuses.weak.join('')} />
      <path class="minus strong" d={minuses.strong.join('')} />
    </g>
  );
}

/** The class and strength of a tint from −1 to 1. */
export function tintStyle(amount: number | null): {
  readonly class: string;
  readonly style?: Readonly<Record<string, string>>;
} {
  if (amount === null) return { class: 'none' };
  return {
    class: amount < 0 ? 'negative' : 'positive',
    style: { '--amount': String(Math.abs(amount)) },
  };
}

function stepOf(amount: number | null): number | null {
  return amount === null ? null : Math.round(amount * STEPS);
}
