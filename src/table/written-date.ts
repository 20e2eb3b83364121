import type { DateOrder } from './notation.ts';

/** The unit of a date as a number: R's `as.numeric(as.Date(x))`. */
export const DAYS = 'days since 1970-01-01';

/** The days since 1970-01-01 that a date can mean; a time of day after it is left out. */
export type DateReadings = { readonly [order in DateOrder]?: number };

const TIME = String.raw`(?:[T :]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?:Z|[+-]\d{2}:?\d{2})?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${TIME}$`);
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${TIME}$`);
const NAMED_MONTH = new RegExp(String.raw`^(\d{1,2})([- ]?)([A-Za-z]{3})\2(\d{4})${TIME}$`);
const SHORT_YEAR = new RegExp(String.raw`^\d{1,2}([-/.])\d{1,2}\1\d{2}${TIME}$`);
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** What a text means as a date; undefined if it is none, empty if no order gives a day of the calendar. */
export function dateReadings(text: string): DateReadings | undefined {
  const iso = YEAR_FIRST.exec(text);
  if (iso !== null) return eitherWay(days(iso[1]!, iso[3]!, iso[4]!));
  const named = NAMED_MONTH.exec(text);
  if (named !== null) {
    const month = MONTHS.indexOf(named[3]!.toLowerCase()) + 1;
    return month === 0 ? undefined : eitherWay(days(named[4]!, month, named[1]!));
  }
  const last = YEAR_LAST.exec(text);
  if (last === null) return undefined;
  const [, first, mark, second, year] = last;
  const dayFirst = days(year!, second!, first!);
  // Nobody writes the month first with dots.
  const monthFirst = mark === '.' ? undefined : days(year!, first!, second!);
  return {
    ...(dayFirst === undefined ? {} : { 'day first': dayFirst }),
    ...(monthFirst === undefined ? {} : { 'month first': monthFirst }),
  };
}

/** A number of days since 1970-01-01 as a date, such as 2024-04-03; the number itself where the calendar has no such day. */
export function dateText(day: number): string {
  const date = new Date(Math.round(day) * 86_400_000);
  return Number.isNaN(date.getTime()) ? String(day) : date.toISOString().replace(/T.*/, '');
}

/** Whether a text is a date whose year has two digits. */
export function hasShortYear(text: string): boolean {
  return SHORT_YEAR.test(text);
}

function eitherWay(day: number | undefined): DateReadings {
  return day === undefined ? {} : { 'day first': day, 'month first': day };
}

/** Days since 1970-01-01; undefined for a day that the calendar does not have. */
function days(year: string, month: string | number, day: string): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const same = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return same ? date.getTime() / 86_400_000 : undefined;
}
