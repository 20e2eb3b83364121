import { defined } from '../../src/defined.ts';
import {
  type ResultPoint,
  type ResultSeries,
  resultSpread,
  type TableCell,
} from '../paper-result.ts';
import { timesPower } from '../text/power-text.ts';

/** A cell with the measured values of the trials, and the printed value if there is one. */
export function cell(values: readonly number[], printed?: string): TableCell {
  return {
    ...defined({ printed }),
    ...(values.length === 0 ? {} : { measured: resultSpread(values) }),
  };
}

/** A point with a band of one standard deviation. */
export function pointCell(x: number, values: readonly number[]): ResultPoint {
  const { mean, sd } = resultSpread(values);
  return { x, y: mean, ...(sd === undefined ? {} : { low: mean - sd, high: mean + sd }) };
}

/** A curve over the swept values, without those not measured yet. */
export function series(
  name: string,
  role: ResultSeries['role'],
  xs: readonly number[],
  values: readonly (readonly number[])[],
): ResultSeries {
  const points = xs.flatMap((x, i) => (values[i]?.length ? [pointCell(x, values[i]!)] : []));
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

export function meanCell(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Whether a printed number counts as reproduced, in the paper’s favour: half of it is enough. If the paper promises that
 * something stays small, twice the number is allowed: `reaches(promised, measured)`.
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

/** The number of trials, as text in a sentence. */
export function trialsText(count: number): string {
  return count === 1 ? '1 trial' : `${count} trials`;
}

export function percentCell(share: number, digits = 2): string {
  return `${shown(100 * share, digits)} %`;
}

export function megabytes(bytes: number): string {
  return `${shown(bytes / 1e6)} MB`;
}
