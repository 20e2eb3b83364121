import type { Path } from '../../../src/analysis/path.ts';

/** The penalties of a slider: 0, then a logarithmic scale. */
export interface PenaltySlider {
  /** The largest position; 0 is no penalty. */
  readonly steps: number;
  readonly least: number;
  readonly most: number;
  penaltyAt(position: number): number;
  positionOf(penalty: number): number;
}

const STEPS = 300;
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
  const least = rounded(Math.max(first.penalty, low));
  const most = rounded(Math.min(last.penalty, high));
  const logSpan = Math.log(most / least);
  return {
    steps: STEPS,
    least,
    most,
    penaltyAt: (position) =>
      position <= 0 ? 0 : rounded(least * Math.exp((logSpan * (position - 1)) / (STEPS - 1))),
    positionOf: (penalty) => {
      if (!(penalty > 0)) return 0;
      const position = 1 + ((STEPS - 1) * Math.log(penalty / least)) / logSpan;
      return Math.round(Math.min(STEPS, Math.max(1, position)));
    },
  };
}

/** Three digits, so that a person can type the same value again. */
function rounded(penalty: number): number {
  return Number(penalty.toPrecision(3));
}
