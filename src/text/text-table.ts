import { alignDecimals, significant } from './number-text.ts';

/** Marks text up for a terminal; the identity where colours are off. */
export interface Ink {
  bold(text: string): string;
  faint(text: string): string;
  /** Columns of the terminal, where they are known. */
  readonly width?: number;
}

export const plainInk: Ink = { bold: (text) => text, faint: (text) => text };

/** Columns side by side; the first one is aligned left, the others right, titles included. */
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

const WIDEST = 100;

/**
 * A wide table in blocks, each starting with the first column, as R prints a wide matrix. A column without a title stays
 * beside the one before it.
 */
export function layOutBlocks(columns: readonly (readonly string[])[], ink: Ink): string[] {
  const [names, ...rest] = columns;
  const space = Math.min(WIDEST, ink.width ?? WIDEST) - widthOf(names);
  const groups: (readonly string[])[][] = [];
  for (const texts of rest) {
    if (texts[0] !== '' || groups.length === 0) groups.push([texts]);
    else groups[groups.length - 1].push(texts);
  }
  const blocks: (readonly string[])[][] = [];
  let used = space;
  for (const group of groups) {
    const width = group.reduce((sum, texts) => sum + 2 + widthOf(texts), 0);
    used += width;
    if (used > space) {
      blocks.push([names]);
      used = width;
    }
    blocks[blocks.length - 1].push(...group);
  }
  return blocks.flatMap((block, k) => [...(k === 0 ? [] : ['']), ...layOut(block, ink)]);
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

/** A column of a text table: its title, then numbers with their decimal points under each other. */
export function numberColumn(
  title: string,
  values: readonly (number | null | undefined)[],
  digits = 5,
): string[] {
  return [title, ...alignDecimals(values.map((v) => (v == null ? '' : significant(v, digits))))];
}

/** A column of numbers that are already text. */
export function alignedColumn(title: string, texts: readonly string[]): string[] {
  return [title, ...alignDecimals(texts)];
}
