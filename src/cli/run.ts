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

/** The commands to load: the one that is called, or all for what names their flags. The list of commands needs none. */
function wantedCommands(argv: readonly string[]): readonly string[] {
  const name = argv.find((word) => !word.startsWith('-')) ?? '';
  if (name === 'completion' || name === 'help') return Object.keys(commands);
  return Object.hasOwn(commands, name) ? [name] : [];
}

/** The program with these commands; the others have their names and lines in the help. */
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
  const wanted = new Set(names);
  const loaded = await Promise.all(
    Object.entries(commands).map(([name, { load }]) => (wanted.has(name) ? load() : undefined)),
  );
  Object.entries(commands).forEach(([name, { usage, line }], k) => {
    if (loaded[k] === undefined) addLine(program, name, usage, line);
    else loaded[k](program, io);
  });
  return program;
}

/** A command that is only listed. Any one option makes commander show that there are some. */
function addLine(program: Command, name: string, usage: string, line: string): void {
  const command = program.command(`${name} ${usage.replace('[options]', '')}`).description(line);
  if (usage.startsWith('[options]')) command.option('--json');
}

/** Commander's type wants a number; without one it takes 80. */
function widthOf({ isTTY, columns }: Io['stdout']): number {
  return (isTTY === true ? columns : undefined) ?? 80;
}
