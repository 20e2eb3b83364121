import { defined } from '../defined.ts';
import type { Design } from './design.ts';
import { mappedColumns } from './mapped-columns.ts';

/** The design without some of its terms, named by their labels: a sub-model over the same rows. */
export function restrictDesign(design: Design, without: readonly string[]): Design {
  const gone = new Set(
    design.terms.filter(({ label }) => without.includes(label)).flatMap(({ columns }) => columns),
  );
  const kept = design.columns.flatMap((_, index) => (gone.has(index) ? [] : [index]));
  const place = new Map(kept.map((index, k) => [index, k]));
  const over = <T>(values: readonly T[]): T[] => kept.map((index) => values[index]!);
  const { mapped, recipe: _, ...rest } = design;
  const columns = over(design.columns);
  const isMapped = mappedColumns({ columns }).length > 0;
  return {
    ...rest,
    ...defined({ mapped: isMapped ? mapped : undefined }),
    columns,
    needsLow: over(design.needsLow),
    terms: design.terms
      .filter(({ label }) => !without.includes(label))
      .map(({ label, columns: own }) => ({
        label,
        columns: own.map((index) => place.get(index)!),
      })),
    evaluate(block, origin, hi, lo) {
      const scratch = new Float64Array(block.rows);
      const spread = <T>(values: readonly T[], none: T): T[] =>
        design.columns.map((_, index) => {
          const at = place.get(index);
          return at === undefined ? none : values[at]!;
        });
      design.evaluate(block, origin, spread(hi, scratch), spread(lo, undefined));
    },
  };
}
