import { Option } from 'commander';
import type { Watch } from '../../rows/watch.ts';
import { silentProgress, terminalProgress } from '../progress.ts';
import { UsageError } from '../usage-error.ts';

/** An option that takes one of some texts, the first unless said otherwise. */
export function choice(
  flags: string,
  text: string,
  choices: readonly [string, ...string[]],
): Option {
  return new Option(flags, text).choices(choices).default(choices[0]);
}

/** Gathers the values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

export function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${flag} must be a whole number ≥ 1: ${text}`, `try ${flag} 2`);
  }
  return value;
}

/** A grid belongs to exact arithmetic alone. */
export function refuseGrid(flags: { readonly grid?: string; readonly arithmetic: string }): void {
  if (flags.grid === undefined || flags.arithmetic !== 'compact') return;
  throw new UsageError(
    '--grid belongs to exact arithmetic',
    'leave out --grid or --arithmetic compact',
  );
}

/** Bars on a terminal for work that lasts. */
export function watcher(quiet: boolean): Watch {
  return (phase, bytes) =>
    quiet || !process.stderr.isTTY
      ? silentProgress
      : terminalProgress(phase, bytes, process.stderr);
}
