/** Marks text up for a terminal; the identity where colours are off. */
export interface Ink {
  bold(text: string): string;
  faint(text: string): string;
}

export const plainInk: Ink = { bold: (text) => text, faint: (text) => text };

/** Columns side by side, titles flush right over their numbers, the first column flush left. */
export function layOut(columns: readonly (readonly string[])[], ink: Ink): string[] {
  const widths = columns.map((texts) => Math.max(...texts.map((text) => text.length)));
  return columns[0].map((_, line) => {
    const cells = columns.map((texts, k) =>
      k === 0 ? texts[line].padEnd(widths[k]) : texts[line].padStart(widths[k]),
    );
    const text = cells.join('  ').trimEnd();
    return line === 0 ? ink.faint(text) : text;
  });
}
