/** Where the lines of a log go: a stream, or a file of their own. */
export interface LogSink {
  write(text: string, done: (error?: Error | null) => void): unknown;
  /** What waits to be written. */
  readonly writableLength: number;
  on?(event: 'error', listener: () => void): unknown;
  /** Waits for what was written last. */
  flush?(): Promise<void>;
}

/** Writes the lines of a log, and survives the loss of some. */
export interface LogWriter {
  write(line: string): void;
  /** Lines that could not be written and are not reported yet. */
  lost(): number;
}

/** Most bytes that wait for a slow reader; further lines are dropped. */
const MOST_WAITING = 2 ** 20;

/** Streams whose errors are listened for. */
const safe = new WeakSet<LogSink>();

/**
 * A log must not end the process: a full disk, or a reader that has gone or reads no more, costs
 * lines. They are counted, and the count is written when a line gets through again.
 */
export function createLogWriter(stream: LogSink, report: (lost: number) => string): LogWriter {
  let lost = 0;
  if (!safe.has(stream)) stream.on?.('error', () => {}); // without a listener, an error ends the process
  safe.add(stream);
  const put = (text: string, lines: number): void => {
    try {
      stream.write(text, (error) => {
        if (error) lost += lines;
        else if (lost > 0) {
          const missed = lost;
          lost = 0;
          put(report(missed), missed);
        }
      });
    } catch {
      lost += lines;
    }
  };
  return {
    write(line) {
      if (stream.writableLength > MOST_WAITING) lost++;
      else put(line, 1);
    },
    lost: () => lost,
  };
}
