import { timesPower } from '../page/power-text.ts';
import { type Cell, type ResultPoint, type ResultSeries, spread } from '../paper-result.ts';

/** What was measured over the trials, beside what is printed where it is. */
export function cell(values: readonly number[], printed?: string): Cell {
  return {
    ...(printed === undefined ? {} : { printed }),
    ...(values.length === 0 ? {} : { measured: spread(values) }),
  };
}

/** A point with a band of one standard deviation. */
export function point(x: number, values: readonly number[]): ResultPoint {
  const { mean, sd } = spread(values);
  return { x, y: mean, ...(sd === undefined ? {} : { low: mean - sd, high: mean + sd }) };
}

/** A curve over what was swept, without the places where nothing was measured yet. */
export function series(
  name: string,
  role: ResultSeries['role'],
  xs: readonly number[],
  values: readonly (readonly number[])[],
): ResultSeries {
  const points = xs.flatMap((x, i) => (values[i]?.length ? [point(x, values[i]!)] : []));
  return { name, role, points };
}

/** A curve of printed numbers. */
export function printedSeries(
  name: string,
  xs: readonly number[],
  ys: readonly number[],
): ResultSeries {
  return {
    name: `${name}, printed`,
    role: 'printed',
    points: xs.map((x, i) => ({ x, y: ys[i]! })),
  };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Whether a printed number counts as reproduced, in the paper’s favour: half of it is enough. Where the paper promises that
 * something stays small, twice of it is allowed: `reaches(promised, measured)`.
 */
export function reaches(measured: number, printed: number): boolean {
  return measured >= printed / 2;
}

/** A number as sentences show it. */
export function shown(value: number, digits = 3): string {
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
    const [factor, power] = value.toExponential(digits - 1).split('e');
    return timesPower(String(Number(factor)), Number(power)).replace(/^-/, '−');
  }
  return String(Number(value.toPrecision(digits))).replace(/^-/, '−');
}

/** How many there were, in words of a sentence. */
export function trialsText(count: number): string {
  return count === 1 ? '1 trial' : `${count} trials`;
}

export function percent(share: number, digits = 2): string {
  return `${shown(100 * share, digits)} %`;
}

export function megabytes(bytes: number): string {
  return `${shown(bytes / 1e6)} MB`;
}
