import type { Block } from '../table/columns.ts';

/** The public range of each column of a block; undefined where a column has none. */
export type PublicRanges = readonly (readonly [low: number, high: number] | undefined)[];

/** Moves cells outside their public range to its nearest end, and counts them. */
export interface BoundedCells {
  /** The block itself where no cell is outside. */
  bound(block: Block): Block;
  /** Moved cells by column. */
  readonly counts: Readonly<Record<string, number>>;
}

export function boundedCells(names: readonly string[], ranges: PublicRanges): BoundedCells {
  const counts: Record<string, number> = {};
  return {
    counts,
    bound({ rows, columns }) {
      return {
        rows,
        columns: columns.map((values, place) => {
          const range = ranges[place];
          if (range === undefined) return values;
          const [low, high] = range;
          let moved = 0;
          // A missing cell is neither below nor above.
          for (let r = 0; r < rows; r++) if (values[r] < low || values[r] > high) moved++;
          if (moved === 0) return values;
          counts[names[place]] = (counts[names[place]] ?? 0) + moved;
          return values.map((value) => Math.min(high, Math.max(low, value)));
        }),
      };
    },
  };
}
