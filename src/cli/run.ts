import { Command, CommanderError, Help } from 'commander';
import { commands } from './commands.ts';
import { explainFailure, failureJson, type ShownFailure } from './failure.ts';
import { exitCode, type Io } from './io.ts';
import { usageRemedy } from './usage-remedy.ts';
import { packageVersion } from './version.ts';

/** Runs the command line `suffice …argv` and gives its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const form = argv.includes('--json') ? 'json' : 'text';
  const program = await createProgram(wantedCommands(argv), io, form);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode.ok;
  } catch (failure) {
    if (!(failure instanceof CommanderError)) return explainFailure(failure, io.stderr, form);
    if (failure.exitCode === 0) return exitCode.ok;
    const remedy = usageRemedy(program, argv, failure);
    io.stderr.write(form === 'json' ? failureJson(usageFailure(failure, remedy)) : `(${remedy})\n`);
    return exitCode.usage;
  }
}

function usageFailure({ message }: CommanderError, remedy: string): ShownFailure {
  const problem = message.replace(/^error: /, '');
  return { kind: 'usage', exit: exitCode.usage, problem, remedy };
}

/** The command that is called; all of them for help and for a completion script, which name all. */
function wantedCommands([name = '']: readonly string[]): readonly string[] {
  const isAlone = Object.hasOwn(commands, name) && name !== 'completion';
  return isAlone ? [name] : Object.keys(commands);
}

/** The program with these commands. */
export async function createProgram(
  names: readonly string[],
  io: Io,
  form: 'text' | 'json' = 'text',
): Promise<Command> {
  const { stdout, stderr } = io;
  const program = new Command('suffice')
    .description(
      'One model over data that must stay where it is, in one round, exactly as if pooled.',
    )
    .version(packageVersion().version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => {
        if (form === 'text') stderr.write(text);
      },
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    .configureHelp({
      // An empty list as the default tells nothing.
      optionDescription: (option) =>
        Help.prototype.optionDescription.call(new Help(), option).replace(' (default: [])', ''),
    })
    .showSuggestionAfterError(false);
  for (const add of await Promise.all(names.map((name) => commands[name]()))) add(program, io);
  return program;
}

/** Commander's type wants a number; without one it takes 80. */
function widthOf({ isTTY, columns }: Io['stdout']): number {
  return (isTTY === true ? columns : undefined) ?? 80;
}
