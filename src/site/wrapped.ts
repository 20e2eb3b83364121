/** Width of the texts in columns of a terminal. */
export const TEXT_WIDTH = 80;

/** A text in lines of at most `width` characters: `first` starts the first line, blanks of the same length the others. */
export function wrapped(first: string, text: string, width: number = TEXT_WIDTH): string[] {
  const lines: string[] = [];
  const margin = ' '.repeat(first.length);
  let line = first;
  let words = 0;
  for (const word of text.split(' ')) {
    if (words > 0 && line.length + 1 + word.length > width) {
      lines.push(line);
      line = margin;
      words = 0;
    }
    line += words === 0 ? word : ` ${word}`;
    words++;
  }
  return [...lines, line];
}

/** Lines as one text. */
export function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}
