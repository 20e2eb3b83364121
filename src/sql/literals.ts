/** A text in single quotes, quotes doubled, as the SQL standard has it. */
export function quotedText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A text in single quotes for engines in which a backslash escapes. */
export function escaped(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A name in double quotes. */
export function doubleQuoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name in backticks; `inside` stands for a backtick. */
export function backticked(name: string, inside = '``'): string {
  return `\`${name.replaceAll('`', inside)}\``;
}
