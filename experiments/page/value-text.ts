import { grouped, significant } from '../../src/model/number-text.ts';
import type { Cell, ResultColumn, Spread } from '../paper-result.ts';

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

/** The unit in which a value has one digit or more before its point. */
function unitFor(value: number, form: Form): Unit {
  const largest = (units: readonly Unit[]) =>
    units.findLast(({ size }) => Math.abs(value) >= size) ?? units[0]!;
  if (form === 'bytes') return value === 0 ? byteUnits[0]! : largest(byteUnits);
  if (form === 'seconds') return value === 0 ? timeUnits[2]! : largest(timeUnits);
  if (form === 'percent') return percent;
  return form === 'ratio' ? times : none;
}

/** A number as a column shows it, with its unit; percentages are given as shares of one. */
export function numberText(value: number, form: Form = 'number'): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '–';
  const unit = unitFor(value, form);
  return withUnit(digitsOf(value / unit.size, form), unit);
}

function digitsOf(value: number, form: Form): string {
  if (form === 'count') return Number.isInteger(value) ? grouped(value) : significant(value, 3);
  if (form === 'bytes' && Number.isInteger(value) && value < 1000) return String(value);
  if (form === 'number') return significant(value, DIGITS);
  return significant(value, 3);
}

function withUnit(text: string, { name }: Unit): string {
  if (name === '') return text;
  return name === '×' ? `${text}×` : `${text} ${name}`;
}

/** Mean ± standard deviation over the seeds, in one unit; a spread of nothing is left out. */
export function spreadText({ mean, sd }: Spread, form: Form = 'number'): string {
  if (sd === undefined || sd === 0 || !Number.isFinite(sd) || !Number.isFinite(mean)) {
    return numberText(mean, form);
  }
  const unit = unitFor(mean, form);
  const shown = digitsOf(mean / unit.size, form);
  return withUnit(`${shown} ± ${deviationText(sd / unit.size, shown)}`, unit);
}

/** In powers of ten only where the mean is, or where it would be mostly zeros. */
function deviationText(sd: number, mean: string): string {
  const text = significant(sd, SPREAD_DIGITS);
  if (!text.includes('e') || mean.includes('e') || sd < 1e-6) return text;
  return sd.toFixed(SPREAD_DIGITS - 1 - Math.floor(Math.log10(sd)));
}

/** What was measured, or the word in its place; nothing where the paper alone has a value. */
export function measuredText({ measured, text }: Cell, form?: Form): string {
  if (measured === undefined) return text ?? '';
  const number = spreadText(measured, form);
  return text === undefined ? number : `${number} ${text}`;
}

/** How long something took, as a person would say it. */
export function durationText(seconds: number): string {
  if (seconds < 1) return numberText(seconds, 'seconds');
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
