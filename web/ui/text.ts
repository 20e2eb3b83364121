import { byteText } from '../../src/text/number-text.ts';
/** 1234 as 1,234. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** 1.2 GB, 340 kB, 12 bytes. */
export function bytesText(bytes: number): string {
  return byteText(bytes, 'bytes');
}

/** A time in the reader's time zone and language. */
export function timeText(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** An estimated duration, rounded. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
