/** 1,234 as a person reads it. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** 1.2 GB, 340 kB; exact where someone will compare it. */
export function byteText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A time as the reader's clock shows it. */
export function timeText(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Seconds in words that are no more exact than the guess is. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
