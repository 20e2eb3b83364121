import type { Path } from '../../../src/analysis/path.ts';
import { ZERO_BELOW } from '../../charts/lines-layout.ts';

/** The penalties of a slider on the axis of the chart: 0 at its left end, then a logarithmic scale. */
export interface PenaltySlider {
  /** The largest position; 0 is no penalty. */
  readonly steps: number;
  /** Ends of the axis: the weakest and the strongest penalty of the path that are drawn. */
  readonly least: number;
  readonly most: number;
  penaltyAt(position: number): number;
  /** The penalty, or the end of the axis that is nearest to it. */
  onAxis(penalty: number): number;
  /** Where the chart has the penalty: a position that need not be whole. */
  positionOf(penalty: number): number;
}

const STEPS = 600;
/** Share of the degrees of freedom below which a change is not visible. */
const NOTICEABLE = 0.002;

/** The part of a path in which the model changes; at least four decades. */
export function penaltyScale({ points }: Pick<Path, 'points'>): PenaltySlider {
  const all = points.filter(({ penalty }) => penalty > 0).toSorted((a, b) => a.penalty - b.penalty);
  const [first, last] = [all[0], all[all.length - 1]];
  const span = first.edf - last.edf;
  const moved = all.filter(
    ({ edf }) => first.edf - edf > NOTICEABLE * span && edf - last.edf > NOTICEABLE * span,
  );
  const middle = moved[Math.floor(moved.length / 2)] ?? all[Math.floor(all.length / 2)];
  const low = Math.min(moved[0]?.penalty ?? first.penalty, middle.penalty / 100);
  const high = Math.max(moved.at(-1)?.penalty ?? last.penalty, middle.penalty * 100);
  const least = all.findLast(({ penalty }) => penalty <= low)?.penalty ?? first.penalty;
  const most = all.find(({ penalty }) => penalty >= high)?.penalty ?? last.penalty;
  const zero = least / ZERO_BELOW;
  const logSpan = Math.log(most / zero);
  return {
    steps: STEPS,
    least,
    most,
    penaltyAt: (position) =>
      position <= 0 ? 0 : rounded(zero * Math.exp((logSpan * position) / STEPS)),
    onAxis: (penalty) => (penalty > 0 ? Math.min(most, Math.max(zero, penalty)) : 0),
    positionOf: (penalty) => {
      if (!(penalty > 0)) return 0;
      const position = (STEPS * Math.log(penalty / zero)) / logSpan;
      return Math.min(STEPS, Math.max(0, position));
    },
  };
}

/** Three digits, so that a person can type the same value again. */
function rounded(penalty: number): number {
  return Number(penalty.toPrecision(3));
}
