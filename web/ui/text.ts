import { byteText, grouped } from '../../src/text/number-text.ts';

/** 1234 as 1,234. */
export const countText: (count: number) => string = grouped;

/** 1.2 GB, 340 kB, 12 bytes. */
export function bytesText(bytes: number): string {
  return byteText(bytes, 'bytes');
}

let moments: Intl.DateTimeFormat | undefined;

/** A time in the reader's time zone and language. */
export function timeText(time: string): string {
  moments ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return moments.format(new Date(time));
}

/** An estimated duration, rounded. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
