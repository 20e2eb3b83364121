import { Argument, type Command } from 'commander';
import { type CompletedCommand, completionScripts, type ShellName } from './completion-scripts.ts';
import type { Io } from './io.ts';

/** `suffice completion`: a script by which a shell completes commands, flags and their values. */
export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(suffice completion bash)' >> ~/.bashrc
  suffice completion zsh > "\${fpath[1]}/_suffice"
  suffice completion fish > ~/.config/fish/completions/suffice.fish`,
    )
    .action((shell: ShellName) => {
      io.stdout.write(completionScripts[shell](completedCommands(program)));
    });
}

/** The program and all commands below it, as a completion needs them. */
function completedCommands(program: Command): CompletedCommand[] {
  const below = (command: Command, path: string): CompletedCommand[] => [
    completed(command, path),
    ...command.commands.flatMap((sub) => below(sub, `${path} ${sub.name()}`.trimStart())),
  ];
  return below(program, '');
}

function completed(command: Command, path: string): CompletedCommand {
  const options = command.createHelp().visibleOptions(command);
  const [choices = []] = command.registeredArguments.map(({ argChoices }) => argChoices ?? []);
  return {
    path,
    words: [
      ...command.commands.map((sub) => ({ name: sub.name(), text: sub.description() })),
      ...choices.map((name) => ({ name, text: '' })),
    ],
    flags: options.flatMap(({ long, description, required, optional, argChoices = [] }) =>
      long === undefined || long === null
        ? []
        : [
            {
              name: long,
              text: description,
              takesValue: required || optional,
              choices: argChoices,
            },
          ],
    ),
  };
}
