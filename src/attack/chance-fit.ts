import type { WordSource } from '../random/words.ts';

/** Most rows drawn, over all draws. */
const MOST_DRAWN = 20_000;
const MOST_DRAWS = 20;

/** How many guessed rows, as texts, are among a file's own rows; each own row matches once. */
export function matchingRows(guessed: readonly string[], own: readonly string[]): number {
  const left = timesOf(own);
  return guessed.filter((row) => {
    const times = left.get(row) ?? 0;
    left.set(row, times - 1);
    return times > 0;
  }).length;
}

/**
 * How many rows of a table a guess gets right that knows only how often each cell occurs in its column: each column is
 * shuffled on its own. Mean over draws. `columns[k][r]` is a cell as text.
 */
export function fitByChance(columns: readonly (readonly string[])[], random: WordSource): number {
  const rows = columns[0]?.length ?? 0;
  const draws = Math.max(1, Math.min(MOST_DRAWS, Math.floor(MOST_DRAWN / Math.max(1, rows))));
  const own = rowsOf(columns);
  let right = 0;
  for (let draw = 0; draw < draws; draw++) {
    right += matchingRows(rowsOf(columns.map((cells) => shuffled(cells, random))), own);
  }
  return right / draws;
}

export function timesOf(keys: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
  return times;
}

function rowsOf(columns: readonly (readonly string[])[]): string[] {
  return Array.from(columns[0] ?? [], (_, r) => columns.map((cells) => cells[r]).join());
}

function shuffled(cells: readonly string[], random: WordSource): string[] {
  const order = [...cells];
  for (let r = order.length - 1; r > 0; r--) {
    const other = random() % (r + 1);
    [order[r], order[other]] = [order[other], order[r]];
  }
  return order;
}
