import { closeSync, fstatSync, openSync, writeFile } from 'node:fs';
import { FailureError } from '../../failure.ts';
import type { LogSink } from './log-writer.ts';

/** A log in a file that may be moved away or cut while it is written. */
export interface LogFile extends LogSink {
  /** Goes on in a file of the same name, after the old one was moved away. */
  reopen(): void;
}

interface Waiting {
  readonly text: string;
  readonly done: (error?: Error | null) => void;
}

const MODE = 0o640;

/**
 * Opens a log to append to. Every line goes to the end of the file, so one that was cut (copytruncate) grows from its
 * beginning. Lines that come while others are written go to the disk together.
 */
export function openLogFile(path: string): LogFile {
  let file = opened(path);
  let waiting: Waiting[] = [];
  let length = 0;
  let writing = false;
  const idle: (() => void)[] = [];
  let moved = false;
  /** Whether the file ends within a line, of which a full disk took the rest. */
  let torn = false;

  const follow = () => {
    try {
      const next = openSync(path, 'a', MODE);
      closeSync(file);
      file = next;
      moved = false;
      torn = false;
    } catch {
      // The old file goes on; the next line tries again.
    }
  };
  const drain = () => {
    if (moved) follow();
    const lines = waiting;
    waiting = [];
    writing = true;
    const text = lines.map((line) => line.text).join('');
    const before = sizeOf(file);
    writeFile(file, torn ? `\n${text}` : text, (error) => {
      writing = false;
      length -= text.length;
      torn = error !== null && (torn || sizeOf(file) > before);
      for (const { done } of lines) done(error);
      if (moved && !writing) follow();
      if (waiting.length > 0 && !writing) drain();
      if (length === 0) for (const done of idle.splice(0)) done();
    });
  };
  return {
    write(text, done) {
      waiting.push({ text, done });
      length += text.length;
      if (!writing) drain();
    },
    get writableLength() {
      return length;
    },
    flush: () => new Promise<void>((done) => (length === 0 ? done() : idle.push(done))),
    reopen() {
      moved = true;
      if (!writing) follow();
    },
  };
}

function sizeOf(file: number): number {
  return fstatSync(file).size;
}

function opened(path: string): number {
  try {
    return openSync(path, 'a', MODE);
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    throw new FailureError('data', {
      problem: `the log cannot be written (${code})`,
      remedy: 'make its folder, and make it writable for this user',
      place: { file: path },
    });
  }
}
