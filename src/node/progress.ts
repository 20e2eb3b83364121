import type { WriteStream } from 'node:tty';

/** Tells a person how far a reading is; silent where nobody watches. */
export interface Progress {
  /** Bytes and rows read so far, over all files. */
  update(bytes: number, rows: number): void;
  /** Removes the bar. */
  done(): void;
}

export const silentProgress: Progress = { update: () => {}, done: () => {} };

const PATIENCE_MS = 1000;
const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** A bar on a terminal, shown only for work that lasts more than a second. */
export function terminalProgress(
  label: string,
  totalBytes: number,
  terminal: WriteStream,
): Progress {
  const started = performance.now();
  let drawn = 0;
  return {
    update(bytes, rows) {
      const now = performance.now();
      if (now - started < PATIENCE_MS || now - drawn < REDRAW_MS) return;
      drawn = now;
      const share = Math.min(1, bytes / totalBytes);
      const seconds = (now - started) / 1000;
      const left = share > 0 ? seconds / share - seconds : Number.NaN;
      const filled = Math.round(share * BAR_WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
      const line = `${label} ${bar} ${byteText(bytes)} of ${byteText(totalBytes)}  ${rateText(rows / seconds)}  ${timeText(left)} left`;
      terminal.write(`\r\x1b[2K${line.slice(0, Math.max(20, (terminal.columns || 80) - 1))}`);
    },
    done() {
      if (drawn > 0) terminal.write('\r\x1b[2K');
    },
  };
}

/** 1.2 GB, 340 kB. */
export function byteText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

function rateText(rowsPerSecond: number): string {
  if (rowsPerSecond >= 1e6) return `${(rowsPerSecond / 1e6).toFixed(1)}M rows/s`;
  if (rowsPerSecond >= 1e4) return `${Math.round(rowsPerSecond / 1e3)}k rows/s`;
  return `${Math.round(rowsPerSecond)} rows/s`;
}

function timeText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
