import type { RowTags } from './row-tags.ts';

/** How the rows of two releases differ; a row that is there twice counts twice. */
export interface Difference {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly common: number;
}

/** Compares two multisets of rows by merging their sorted tags. */
export function symmetricDifference(a: RowTags, b: RowTags): Difference {
  const common = a.length - without(a, b).length;
  return { onlyA: a.length - common, onlyB: b.length - common, common };
}

/** The rows of `a` that are left when those of `b` are taken out, each as often as it is there. */
export function without(a: RowTags, b: RowTags): RowTags {
  const rest = new BigUint64Array(a.length);
  let left = 0;
  let j = 0;
  for (const tag of a) {
    while (j < b.length && b[j] < tag) j++;
    if (j < b.length && b[j] === tag) j++;
    else rest[left++] = tag;
  }
  return rest.slice(0, left);
}
