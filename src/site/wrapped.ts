/** Columns of a terminal that a story counts on. */
export const STORY_WIDTH = 80;

/** A text in lines of at most `width` characters: `first` before the first, as many blanks before the others. */
export function wrapped(first: string, text: string, width: number = STORY_WIDTH): string[] {
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
