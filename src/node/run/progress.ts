import type { TrainingProgress } from '../../network/training-progress.ts';
import { byteText, significant } from '../../text/number-text.ts';
/** Where a bar is drawn. */
export interface BarTerminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** A progress bar for reading files. */
export interface ReadingBar {
  /** Bytes and rows read so far, over all files; then how far a training is. */
  update(bytes: number, rows: number, training?: TrainingProgress): void;
  /** Removes the bar. */
  done(): void;
}

export const silentProgress: ReadingBar = { update: () => {}, done: () => {} };

const PATIENCE_MS = 1000;
const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** A bar on a terminal, shown only for work that lasts more than a second. */
export function terminalProgress(
  label: string,
  totalBytes: number,
  terminal: BarTerminal,
): ReadingBar {
  const bar = barOn(terminal);
  let trainingBar: ReturnType<typeof barOn> | undefined;
  return {
    update(bytes, rows, training) {
      if (training !== undefined) {
        trainingBar ??= barOn(terminal);
        const { epoch, epochs, loss } = training;
        trainingBar.draw(epoch / epochs, (drawn, _, left) =>
          [
            `training ${drawn} epoch ${epoch.toFixed(1)} of ${epochs}`,
            `loss ${significant(loss, 3)}`,
            `${left} left`,
          ].join('  '),
        );
        return;
      }
      bar.draw(Math.min(1, bytes / totalBytes), (drawn, seconds, left) =>
        [
          `${label} ${drawn} ${byteText(bytes)} of ${byteText(totalBytes)}`,
          rateText(rows / seconds),
          `${left} left`,
        ].join('  '),
      );
    },
    done() {
      bar.done();
      trainingBar?.done();
    },
  };
}

/** A progress bar for other work: the share that is done, and the current step. */
export interface ShareProgress {
  /** From 0 to 1. */
  update(share: number, what: string): void;
  done(): void;
}

/** A bar for work that is not reading. */
export function shareProgress(terminal: BarTerminal): ShareProgress {
  const bar = barOn(terminal);
  return {
    update: (share, what) =>
      bar.draw(
        share,
        (drawn, _, left) => `${drawn} ${Math.floor(100 * share)} %  ${left} left  ${what}`,
      ),
    done: bar.done,
  };
}

type BarLine = (bar: string, seconds: number, left: string) => string;

function barOn(terminal: BarTerminal) {
  const started = performance.now();
  let drawn = 0;
  return {
    draw(share: number, lineOf: BarLine): void {
      const now = performance.now();
      if (now - started < PATIENCE_MS || now - drawn < REDRAW_MS) return;
      drawn = now;
      const seconds = (now - started) / 1000;
      const left = share > 0 ? seconds / share - seconds : Number.NaN;
      const filled = Math.round(share * BAR_WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
      const line = lineOf(bar, seconds, timeText(left));
      terminal.write(`\r\x1b[2K${line.slice(0, Math.max(20, (terminal.columns || 80) - 1))}`);
    },
    done(): void {
      if (drawn > 0) terminal.write('\r\x1b[2K');
    },
  };
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
