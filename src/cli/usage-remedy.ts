import type { Command, CommanderError } from 'commander';
import { nearNames } from '../study/near-names.ts';

const filter = 'rows are not filtered here: give a file with the rows that count';

/** Flags that other programs have, and what to do here. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['--subset', filter],
  ['--filter', filter],
  ['--na.action', 'say --missing drop or --missing refuse'],
  ['--formula', 'give the formula as the first argument'],
  ['--data', 'give the files after the formula'],
]);

/** What to do about a call that the command line does not understand: a near name, and where the help is. */
export function usageRemedy(
  program: Command,
  argv: readonly string[],
  { code, message }: CommanderError,
): string {
  const path = calledCommand(program, argv);
  const called = path[path.length - 1];
  const names = path.map((one) => one.name()).join(' ');
  const help = `${names} --help lists its ${called.commands.length > 0 ? 'commands' : 'options'}`;
  const [unknown] = (/'([^']*)'/.exec(message)?.[1] ?? '').split('=');
  const near = (known: readonly string[]) => {
    const [first] = nearNames(unknown, known);
    return first === undefined ? help : `did you mean ${first}? ${help}`;
  };
  if (code === 'commander.unknownCommand') return near(called.commands.map((one) => one.name()));
  if (code !== 'commander.unknownOption') return help;
  return elsewhere.get(unknown) ?? near(called.options.flatMap(({ long }) => long ?? []));
}

/** The program and the commands below it that the words name, in order. */
function calledCommand(program: Command, [word, ...rest]: readonly string[]): Command[] {
  const inner = program.commands.find((one) => one.name() === word);
  return inner === undefined ? [program] : [program, ...calledCommand(inner, rest)];
}
