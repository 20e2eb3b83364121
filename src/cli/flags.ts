import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Option } from 'commander';
import { silentProgress, terminalProgress } from '../node/run/progress.ts';
import type { Watch } from '../rows/watch.ts';
import { UsageError } from '../usage-error.ts';
import type { Io } from './io.ts';

/** An option with a fixed list of values; the first is the default. */
export function choice(
  flags: string,
  text: string,
  choices: readonly [string, ...string[]],
): Option {
  return new Option(flags, text).choices(choices).default(choices[0]);
}

/** The decimal mark of text files. */
export function decimalFlag(): Option {
  const text = 'decimal mark of text files whose own cells do not show it';
  return new Option('--decimal <mark>', text).choices(['.', ',']);
}

/** Gathers the values of an option that may be repeated. */
export function repeatedFlag(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

export function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${flag} must be a whole number ≥ 1: ${text}`, `try ${flag} 2`);
  }
  return value;
}

/** Throws when --grid is given with compact arithmetic. */
export function refuseGrid(flags: { readonly grid?: string; readonly arithmetic: string }): void {
  if (flags.grid === undefined || flags.arithmetic !== 'compact') return;
  throw new UsageError(
    '--grid belongs to exact arithmetic',
    'leave out --grid or --arithmetic compact',
  );
}

/** Progress bars, if there is a terminal. */
export function watcher(quiet: boolean, io: Io): Watch {
  return (phase, bytes) =>
    quiet || !io.stderr.isTTY ? silentProgress : terminalProgress(phase, bytes, io.stderr);
}

/** Throws, before the work starts, when the file cannot be written. */
export function refuseUnwritable(flag: string, path: string | undefined): void {
  if (path === undefined) return;
  const folder = dirname(path);
  if (path === '' || (existsSync(path) && statSync(path).isDirectory())) {
    throw new UsageError(`${flag} needs the name of a file: ${path || '""'}`, 'name a file');
  }
  if (!existsSync(folder)) {
    throw new UsageError(`${flag}: there is no folder ${folder}`, 'make it first, or name another');
  }
}
