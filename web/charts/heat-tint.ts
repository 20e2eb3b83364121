import { extent } from '../../src/export/svg/scale.ts';
import { briefNumber } from './chart-text.tsx';

export type HeatRange = readonly [low: number, high: number] | 'positive';

/** The tint of values, and the values of the legend. */
export interface Tint {
  /** From −1 to 1; null if there is no value. */
  of(value: number | null | undefined): number | null;
  /** Values from one end to the other, evenly along the tint. */
  readonly legend: readonly number[];
  readonly log: boolean;
}

/** If the median is smaller than the largest value by this factor, tints go by orders of magnitude. */
const TOO_UNEVEN = 50;
const MOST_DECADES = 8;
/** The tint of the smallest value that is not 0. */
const FAINTEST = 0.07;

/** Tints around 0: even steps, or orders of magnitude if a few values would hide the rest. */
export function tintFor(values: readonly (readonly (number | null)[])[], range: HeatRange): Tint {
  const sizes = values
    .flat()
    .filter((value) => value !== null && Number.isFinite(value) && value !== 0)
    .map((value) => Math.abs(value!))
    .sort((a, b) => a - b);
  const most = range === 'positive' ? (sizes.at(-1) ?? 1) : Math.max(...range.map(Math.abs)) || 1;
  const usual = sizes[Math.floor(sizes.length / 2)] ?? most;
  // Correlations share one scale; only sums of different units need orders of magnitude.
  const correlations = range !== 'positive' && range[0] === -1 && range[1] === 1;
  const log = !correlations && most > TOO_UNEVEN * usual;
  const least = Math.max(extent(sizes)[0], most / 10 ** MOST_DECADES) / 3;
  const decades = Math.log(most / least);
  const share = (size: number) =>
    log ? Math.max(FAINTEST, Math.log(size / least) / decades) : size / most;
  const back = (amount: number) =>
    log ? least * Math.exp(Math.abs(amount) * decades) : Math.abs(amount) * most;
  const ends = range === 'positive' ? [0, 1] : [range[0] < 0 ? -1 : 0, range[1] > 0 ? 1 : 0];
  const steps = ends[1] - ends[0] > 1 ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  return {
    of: (value) =>
      value === null || value === undefined || !Number.isFinite(value)
        ? null
        : Math.sign(value) * Math.min(1, value === 0 ? 0 : share(Math.abs(value))),
    legend: steps.map((amount) => (amount === 0 ? 0 : Math.sign(amount) * back(amount))),
    log,
  };
}

/** A value in a cell: .87, −.12 for correlations, else with few digits. */
export function cellNumber(value: number, range: HeatRange): string {
  const within = range !== 'positive' && range[0] >= -1 && range[1] <= 1;
  if (!within) {
    const large = Math.abs(value) >= 1e4;
    return large
      ? value.toExponential(1).replace('e+', 'e').replace('-', '−')
      : briefNumber(value, 2);
  }
  const text = Math.abs(value).toFixed(2).replace(/^0/, '');
  return `${value < 0 && text !== '.00' ? '−' : ''}${text === '1.00' ? '1' : text}`;
}
