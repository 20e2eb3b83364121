/** Runs `suffice` with arguments and gives what it prints. */
export type RunCommand = (...args: string[]) => Promise<string>;

interface CommandHelp {
  /** As it is typed: `suffice study init`. */
  readonly name: string;
  readonly summary: string;
  readonly help: string;
}

/** docs/commands.md below its marker: a table of all commands, then the help of each, as the command prints it. */
export async function commandPage(run: RunCommand): Promise<string> {
  const commands = await commandsIn(await run('--help'), [], run);
  const rows = commands.map(
    ({ name, summary }) =>
      `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${summary.replaceAll('|', '\\|')} |`,
  );
  const sections = commands.map(
    ({ name, help }) => `### ${name}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`,
  );
  return [
    '## All commands\n',
    '| command | what it does |\n| --- | --- |',
    `${rows.join('\n')}\n`,
    ...sections,
  ].join('\n');
}

/** The commands that a help lists, each with its own help; a command that has commands gives way to them. */
async function commandsIn(
  help: string,
  path: readonly string[],
  run: RunCommand,
): Promise<CommandHelp[]> {
  const lists = Array.from(help.matchAll(/^(\S.*):\n((?: .*\n)+)/gm))
    .filter(([, heading]) => !/^(Arguments|Examples)/.test(heading))
    .map(([, , list]) => list);
  const found: CommandHelp[] = [];
  for (const { command, summary } of lists.flatMap(entriesOf)) {
    const own = [...path, command];
    const ownHelp = await run(...own, '--help');
    const below = await commandsIn(ownHelp, own, run);
    if (below.length > 0) found.push(...below);
    else found.push({ name: ['suffice', ...own].join(' '), summary, help: ownHelp });
  }
  return found;
}

/** The commands of a list: two spaces, the name, its arguments, its summary; continued further right. Flags are left out. */
function entriesOf(list: string): { readonly command: string; readonly summary: string }[] {
  const entries: { command: string; summary: string }[] = [];
  for (const line of list.split('\n')) {
    const found = /^ {2}([a-z][\w-]*)(?:\|\S+)?(?: [[<].*?)?(?: {2,}(.*))?$/.exec(line);
    if (found !== null) entries.push({ command: found[1], summary: found[2] ?? '' });
    else if (/^ {4,}\S/.test(line) && entries.length > 0)
      entries[entries.length - 1].summary += ` ${line.trim()}`;
  }
  return entries.filter(({ command }) => command !== 'help');
}
