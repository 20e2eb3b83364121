import { UsageError } from '../usage-error.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds of a text such as `90s`, `10m`, `12h`, `2d` or `4w`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*([smhdw])$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * UNITS[match[2]];
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A future time, as ISO 8601 in UTC: from a duration (`2d` from now), a date (its end, in UTC)
 * or a time with its zone. The error names `flag` where the text is none of these, or in the past.
 */
export function parseMoment(flag: string, text: string, now: number = Date.now()): string {
  const moment = momentOf(text, now);
  if (!Number.isFinite(moment) || Number.isNaN(new Date(moment).getTime())) {
    throw new UsageError(
      `${flag} is not a time: ${text}`,
      `try ${flag} 2d, ${flag} 2030-12-01 or ${flag} 2030-12-01T12:00:00Z`,
    );
  }
  if (moment <= now) {
    throw new UsageError(`${flag} is in the past: ${text}`, `try ${flag} 2d`);
  }
  return new Date(moment).toISOString();
}

function momentOf(text: string, now: number): number {
  const duration = parseDuration(text);
  if (duration !== undefined) return now + duration;
  const written = text.trim();
  if (DATE.test(written)) return Date.parse(`${written}T23:59:59Z`);
  return TIME.test(written) ? Date.parse(written) : Number.NaN;
}

/** `in 2 days`, `3 hours ago`: how far away a time is, for people. */
export function momentText(iso: string, now: number = Date.now()): string {
  const distance = Date.parse(iso) - now;
  const text = durationText(Math.abs(distance));
  return distance >= 0 ? `in ${text}` : `${text} ago`;
}

/** A time of a machine for people: 2026-11-17 13:04:05 UTC. Any other text as it is. */
export function utcText(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2 UTC');
}

function durationText(milliseconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [UNITS.d, 'day'],
    [UNITS.h, 'hour'],
    [UNITS.m, 'minute'],
    [UNITS.s, 'second'],
  ];
  // Slightly less than two days still reads as two days.
  const [unit, name] = units.find(([one]) => milliseconds >= 1.99 * one) ?? units[3];
  const count = Math.round(milliseconds / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
