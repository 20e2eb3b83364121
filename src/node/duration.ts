import { UsageError } from './usage-error.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds of a text such as `90s`, `10m`, `12h`, `2d` or `4w`; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*([smhdw])$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * UNITS[match[2]];
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A moment to come, as ISO 8601 in UTC: from a duration (`2d` from now), a date (its end, in UTC)
 * or a time with its zone. `flag` is named where the text is none of these, or in the past.
 */
export function parseMoment(flag: string, text: string, now: number = Date.now()): string {
  const duration = parseDuration(text);
  const written = text.trim();
  const moment =
    duration !== undefined
      ? now + duration
      : DATE.test(written)
        ? Date.parse(`${written}T23:59:59Z`)
        : TIME.test(written)
          ? Date.parse(written)
          : Number.NaN;
  if (!Number.isFinite(moment) || Number.isNaN(new Date(moment).getTime())) {
    throw new UsageError(
      `${flag} is no time: ${text}`,
      `try ${flag} 2d, ${flag} 2030-12-01 or ${flag} 2030-12-01T12:00:00Z`,
    );
  }
  if (moment <= now) {
    throw new UsageError(`${flag} is in the past: ${text}`, `try ${flag} 2d`);
  }
  return new Date(moment).toISOString();
}

/** `in 2 days`, `3 hours ago`: how far a moment is, for people. */
export function momentWords(iso: string, now: number = Date.now()): string {
  const distance = Date.parse(iso) - now;
  const words = durationWords(Math.abs(distance));
  return distance >= 0 ? `in ${words}` : `${words} ago`;
}

function durationWords(milliseconds: number): string {
  const words: readonly (readonly [number, string])[] = [
    [UNITS.d, 'day'],
    [UNITS.h, 'hour'],
    [UNITS.m, 'minute'],
    [UNITS.s, 'second'],
  ];
  // A hair less than two days is two days all the same.
  const [unit, word] = words.find(([one]) => milliseconds >= 1.99 * one) ?? words[3];
  const count = Math.round(milliseconds / unit);
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
