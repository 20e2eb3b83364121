import { placed } from '../../failure.ts';
import type { Onlooker } from '../onlooker.ts';
import { UsageError } from '../usage-error.ts';
import { watcher } from './flags.ts';
import { inkFor } from './ink.ts';
import { withFlags } from './option-text.ts';

/** Flags that say how much a person wants to see. */
export interface OnlookerFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
}

/** Whether nobody wants to see any story. */
export function isSilent({ quiet, yes }: Pick<OnlookerFlags, 'quiet' | 'yes'>): boolean {
  return quiet === true && yes === true;
}

/** Stories go to stdout, or to stderr where stdout is for JSON; `--quiet --yes` leaves them out. */
export function onlookerFor(flags: OnlookerFlags): Onlooker {
  const stream = flags.json === true ? process.stderr : process.stdout;
  const silent = isSilent(flags);
  return {
    ink: inkFor(stream),
    watch: watcher(flags.quiet === true),
    show: (text) => {
      if (!silent) stream.write(`\n${text}`);
    },
    notice: (text) => {
      process.stderr.write(`${text}\n`);
    },
    failure: (failure) => {
      process.stderr.write(
        `${placed(failure)}\n  → ${withFlags(failure.remedy, failure.option)}\n`,
      );
    },
  };
}

/** Refuses to go on where a question could not be asked. */
export function refuseUnattended(): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new UsageError(
    'there is no terminal to ask on; no statistic was made, and none was sent',
    'look with --dry-run at what would leave, then approve it with --yes',
  );
}

/** Exit code of a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Asks on the terminal; Ctrl-C ends the process. */
export async function ask(question: string): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer)) process.exit(INTERRUPTED);
  return answer;
}
