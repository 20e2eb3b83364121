/** A comment of R or Python in one line, whatever the text. */
export function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`;
}

/** A text in ASCII that R and Python read back in any locale. */
export function quoted(text: string): string {
  const plain = Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0)!;
    if (code >= 32 && code < 127) return character;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${plain.join('')}"`;
}
