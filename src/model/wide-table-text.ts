import { type Ink, layOut } from './text-table.ts';

const WIDEST = 100;

/** A table of many columns in blocks under each other, the first column in each, as R prints a wide matrix. */
export function layOutBlocks(columns: readonly (readonly string[])[], ink: Ink): string[] {
  const [names, ...rest] = columns;
  const widths = rest.map((texts) => 2 + widthOf(texts));
  const room = WIDEST - widthOf(names);
  const blocks: (readonly string[])[][] = [];
  let used = room;
  rest.forEach((texts, k) => {
    used += widths[k];
    if (used > room) {
      blocks.push([names]);
      used = widths[k];
    }
    blocks[blocks.length - 1].push(texts);
  });
  return blocks.flatMap((block, k) => [...(k === 0 ? [] : ['']), ...layOut(block, ink)]);
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}
