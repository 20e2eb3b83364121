import type { Design } from './design.ts';
import { PROJECTION } from './project-design.ts';

/** The design without some of its terms, named by their labels: a sub-model over the same rows. */
export function restrictDesign(design: Design, without: readonly string[]): Design {
  const gone = new Set(
    design.terms.filter(({ label }) => without.includes(label)).flatMap(({ columns }) => columns),
  );
  const kept = design.columns.flatMap((_, index) => (gone.has(index) ? [] : [index]));
  const place = new Map(kept.map((index, k) => [index, k]));
  const over = <T>(values: readonly T[]): T[] => kept.map((index) => values[index]!);
  const { projected, ...rest } = design;
  return {
    ...rest,
    ...(projected === undefined || without.includes(PROJECTION) ? {} : { projected }),
    columns: over(design.columns),
    needsLow: over(design.needsLow),
    terms: design.terms
      .filter(({ label }) => !without.includes(label))
      .map(({ label, columns }) => ({ label, columns: columns.map((index) => place.get(index)!) })),
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
