import { placed } from '../failure.ts';
import type { SiteScreen } from '../node/site/site-screen.ts';
import { explanationText } from '../site/explanation-text.ts';
import { visibleLines } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { watcher } from './flags.ts';
import { CommandEnd, exitCode, type Io } from './io.ts';
import { withFlags } from './option-text.ts';
import { inkFor } from './terminal-text.ts';
import { wordingRemedy } from './wording-remedy.ts';

/** Flags that say how much a person wants to see. */
export interface ScreenFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: boolean;
}

/** Whether no explanations are wanted. */
export function isSilent({ quiet, yes }: Pick<ScreenFlags, 'quiet' | 'yes'>): boolean {
  return quiet === true && yes === true;
}

/** Explanations go to stdout, or to stderr where stdout is for JSON; `--quiet --yes` leaves them out. */
export function siteScreen(flags: ScreenFlags, io: Io): SiteScreen {
  const stream = flags.json === true ? io.stderr : io.stdout;
  const silent = isSilent(flags);
  const ink = inkFor(io, stream);
  const show = (text: string) => {
    if (!silent) stream.write(`\n${text}`);
  };
  return {
    ink,
    watch: watcher(flags.quiet === true, io),
    show,
    // Not for programs: their output is kept in logs.
    explain: (explanation) => {
      if (flags.json === true || flags.quiet === true) return;
      show(explanationText(explanation, ink));
      const remedy = wordingRemedy(explanation);
      if (remedy !== undefined) show(remedy);
    },
    notice: (text) => {
      io.stderr.write(`${text}\n`);
    },
    failure: (failure) => {
      const text = `${placed(failure)}\n  → ${withFlags(failure.remedy, failure.option)}\n`;
      io.stderr.write(visibleLines(text));
    },
  };
}

/** Throws when there is no terminal to ask on. */
export function requireTerminal(io: Io): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return;
  throw new UsageError(
    'there is no terminal to ask on; no statistic was made, and none was sent',
    'look with --dry-run at what is sent, then approve it with --yes',
  );
}

/** Asks on the terminal; Ctrl-C ends the command. */
export async function askYesNo(question: string, io: Io): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: question,
    initialValue: false,
    input: io.stdin,
    output: io.stderr,
  });
  if (isCancel(answer)) throw new CommandEnd(exitCode.interrupted);
  return answer;
}
