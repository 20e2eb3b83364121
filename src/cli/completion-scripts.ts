/** A command with what may follow it. */
export interface CompletedCommand {
  /** Its names, such as `study create`; empty for `suffice` itself. */
  readonly path: string;
  /** Commands below it, or values of its first argument; where there is none, files follow. */
  readonly words: readonly CompletedWord[];
  readonly flags: readonly CompletedFlag[];
}

interface CompletedWord {
  readonly name: string;
  readonly text: string;
}

interface CompletedFlag extends CompletedWord {
  readonly takesValue: boolean;
  /** The values it may have; files or free text where there is none. */
  readonly choices: readonly string[];
}

export type ShellName = 'bash' | 'zsh' | 'fish';

/** The completion script of each shell. */
export const completionScripts: Readonly<
  Record<ShellName, (commands: readonly CompletedCommand[]) => string>
> = { bash: bashScript, zsh: zshScript, fish: fishScript };

function bashScript(commands: readonly CompletedCommand[]): string {
  const words = (list: readonly string[]) => `words=${quoted(list.join(' '))}`;
  return `# bash completion for suffice: source <(suffice completion bash)
_suffice() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words=''
  ((COMP_CWORD > 1)) && command="\${COMP_WORDS[1]}"
  case "$command" in
    ${groupsOf(commands).join('|')}) ((COMP_CWORD > 2)) && command+=" \${COMP_WORDS[2]}" ;;
  esac
  case "$command $previous" in
${valueCases(commands, words, 'return')}
    *)
      case "$command" in
${commands
  .map(
    ({ path, words: next, flags }) =>
      `        ${quoted(path)}) if [[ "$word" == -* ]]; then ${words(flags.map(({ name }) => name))}; else ${words(next.map(({ name }) => name))}; fi ;;`,
  )
  .join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _suffice suffice
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const found = (list: readonly string[]) => `found=(${list.map(quoted).join(' ')})`;
  const described = (list: readonly CompletedWord[]) =>
    found(list.map(({ name, text }) => (text === '' ? name : `${name}:${text}`)));
  return `#compdef suffice
# zsh completion for suffice: suffice completion zsh > "\${fpath[1]}/_suffice"
_suffice() {
  local word="$words[CURRENT]" previous="$words[CURRENT-1]" command=''
  local -a found
  (( CURRENT > 2 )) && command="$words[2]"
  case "$command" in
    ${groupsOf(commands).join('|')}) (( CURRENT > 3 )) && command+=" $words[3]" ;;
  esac
  case "$command $previous" in
${valueCases(commands, found, '_files; return')}
    *)
      case "$command" in
${commands
  .map(
    ({ path, words, flags }) =>
      `        ${quoted(path)}) if [[ "$word" == -* ]]; then ${described(flags)}; else ${described(words)}; fi ;;`,
  )
  .join('\n')}
      esac
      ;;
  esac
  if (( \${#found} )); then _describe suffice found; else _files; fi
}
compdef _suffice suffice
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const below = (path: string) => (path === '' ? '__suffice_at' : `__suffice_at ${path}`);
  const lines = commands.flatMap(({ path, words, flags }) => [
    ...words.map(
      ({ name, text }) =>
        `complete -c suffice -n ${quoted(`${below(path)}; and __suffice_just ${path}`.trimEnd())} -f -a ${name} -d ${quoted(text)}`,
    ),
    ...flags.map(({ name, text, takesValue, choices }) => {
      const values = choices.length === 0 ? '' : ` -f -a ${quoted(choices.join(' '))}`;
      return `complete -c suffice -n ${quoted(below(path))} -l ${name.slice(2)}${takesValue ? ' -r' : ''}${values} -d ${quoted(text)}`;
    }),
  ]);
  return `# fish completion for suffice: suffice completion fish > ~/.config/fish/completions/suffice.fish
function __suffice_at # the command line starts with these commands
  set -l said (commandline -opc)
  set -e said[1]
  test -z "$argv$said"; and return
  test -n "$argv"; and string match -q -- "$argv *" "$said "
end
function __suffice_just # and nothing follows them
  test (count (commandline -opc)) -eq (math (count $argv) + 1)
end
${lines.join('\n')}
`;
}

/** Commands that have commands below them. */
function groupsOf(commands: readonly CompletedCommand[]): string[] {
  return commands
    .flatMap(({ path }) => {
      const [group, sub] = path.split(' ');
      return sub === undefined ? [] : [group];
    })
    .filter((group, k, all) => all.indexOf(group) === k);
}

/** The cases of a flag before the word: its choices, or whatever the shell does for a value. */
function valueCases(
  commands: readonly CompletedCommand[],
  choose: (choices: readonly string[]) => string,
  otherwise: string,
): string {
  const cases = commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ name, choices }) => {
        const act = choices.length === 0 ? otherwise : choose(choices);
        return `    ${quoted(`${path} ${name}`)}) ${act} ;;`;
      }),
  );
  return cases.join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
