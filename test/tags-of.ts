import { type RowTags, tagger } from '../src/disclosure/row-tags.ts';

export const testTagKey: Uint32Array = Uint32Array.of(
  0x243f6a88,
  0x85a308d3,
  0x13198a2e,
  0x03707344,
);

/** The tags of rows of equal width. */
export function tagsOf(
  rows: readonly (readonly number[])[],
  key: Uint32Array = testTagKey,
): RowTags {
  const columns = (rows[0] ?? []).map((_, k) => Float64Array.from(rows, (row) => row[k]));
  const tags = tagger(key);
  tags.add(rows.length, columns, (r) => r);
  return tags.finish();
}
