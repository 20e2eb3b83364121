import { grouped, significant } from '../../src/text/number-text.ts';
import type { ResultColumn, ResultSpread, TableCell } from '../paper-result.ts';
import { timesPower } from './power-text.ts';

type Form = NonNullable<ResultColumn['form']>;

const DIGITS = 4;
const SPREAD_DIGITS = 2;

interface Unit {
  readonly size: number;
  readonly name: string;
}

const byteUnits: readonly Unit[] = [
  { size: 1, name: 'B' },
  { size: 1e3, name: 'kB' },
  { size: 1e6, name: 'MB' },
  { size: 1e9, name: 'GB' },
  { size: 1e12, name: 'TB' },
];
const timeUnits: readonly Unit[] = [
  { size: 1e-6, name: 'µs' },
  { size: 1e-3, name: 'ms' },
  { size: 1, name: 's' },
];
const percent: Unit = { size: 0.01, name: '%' };
const times: Unit = { size: 1, name: '×' };
const none: Unit = { size: 1, name: '' };

/** The unit in which a value has at least one digit before its point. */
function unitFor(value: number, form: Form): Unit {
  const largest = (units: readonly Unit[]) =>
    units.findLast(({ size }) => Math.abs(value) >= size) ?? units[0]!;
  if (form === 'bytes') return value === 0 ? byteUnits[0]! : largest(byteUnits);
  if (form === 'seconds') return value === 0 ? timeUnits[2]! : largest(timeUnits);
  if (form === 'percent') return percent;
  return form === 'ratio' ? times : none;
}

/** A number as shown in a column, with its unit; percentages are given as shares of one. */
export function resultNumberText(value: number, form: Form = 'number'): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '–';
  const unit = unitFor(value, form);
  return withUnit(digitsOf(value / unit.size, form), unit);
}

function digitsOf(value: number, form: Form): string {
  if (form === 'count') return Number.isInteger(value) ? grouped(value) : significant(value, 3);
  if (form === 'bytes' && Number.isInteger(value) && value < 1000) return String(value);
  const digits = form === 'number' ? DIGITS : 3;
  if (!needsPower(value)) return significant(value, digits);
  const power = powerOf(value);
  return timesPower((value / 10 ** power).toFixed(digits - 2), power);
}

/** Whether a number would be mostly zeros. */
function needsPower(value: number): boolean {
  return value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7);
}

/** A power of ten that leaves one digit before the point, for this many shown digits. */
function powerOf(value: number, digits = DIGITS - 1): number {
  return Number(value.toExponential(digits - 1).split('e')[1]);
}

function withUnit(text: string, { name }: Unit): string {
  if (name === '') return text;
  return name === '×' ? `${text}×` : `${text} ${name}`;
}

/** Mean ± standard deviation over the seeds, in one unit and with the same decimals; a deviation of 0 is left out. */
export function spreadText({ mean, sd }: ResultSpread, form: Form = 'number'): string {
  if (sd === undefined || sd === 0 || !Number.isFinite(sd) || !Number.isFinite(mean)) {
    return resultNumberText(mean, form);
  }
  const unit = unitFor(mean, form);
  const [middle, around] = [mean / unit.size, sd / unit.size];
  const largest = Math.max(Math.abs(middle), around);
  if (!needsPower(largest)) return withUnit(pairText(middle, around), unit);
  const power = powerOf(largest);
  const pair = pairText(middle / 10 ** power, around / 10 ** power);
  return withUnit(timesPower(`(${pair})`, power), unit);
}

/** Two digits for the standard deviation, and as many decimals for the mean; fewer if the mean would have more than four digits. */
function pairText(mean: number, sd: number): string {
  const decimalsFor = (value: number, digits: number) => digits - 1 - powerOf(value, digits);
  const most = mean === 0 ? Number.POSITIVE_INFINITY : decimalsFor(mean, DIGITS);
  const decimals = Math.max(0, Math.min(decimalsFor(sd, SPREAD_DIGITS), most));
  const around = sd.toFixed(decimals);
  const seen = Number(around) > 0 ? around : digitsOf(sd, 'number');
  return `${mean.toFixed(decimals)} ± ${seen}`;
}

/** The measured value, or the word in its place; empty if only the paper has a value. */
export function measuredText({ measured, text }: TableCell, form?: Form): string {
  if (measured === undefined) return text ?? '';
  const number = spreadText(measured, form);
  return text === undefined ? number : `${number} ${text}`;
}

/** A duration as text. */
export function secondsText(seconds: number): string {
  if (seconds < 1) return resultNumberText(seconds, 'seconds');
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
