import type { PastRelease, PresentRelease } from './release.ts';
import { type Residue, smallResidues } from './residues.ts';
import { personCells, rowCells } from './row-cells.ts';
import type { RowTags } from './row-tags.ts';

/** Small residues by rows, and by persons where the releases know them. */
export function residuesOf(now: PresentRelease, past: readonly PastRelease[]): readonly Residue[] {
  const { file, least = 0, people = new Map<string, RowTags>() } = now;
  // A residue is of this release and at least two others.
  if (least === 0 || file === undefined || past.length < 2) return [];
  const tagged = past.flatMap(({ at, digest, tags }) => {
    const fileTags = file.tags.get(digest);
    return fileTags === undefined || tags === undefined ? [] : [{ at, tags, fileTags }];
  });
  const rows = rowCells(file.used, tagged);
  const found = smallResidues(rows.now, rows.past, least);
  // A row that the file no longer has is known over the columns of each release before it.
  const sets = rows.past.every(({ isWhole }) => isWhole) ? [] : new Set(file.tags.values());
  for (const fileTags of sets) {
    const members = past.flatMap((release) => releasedOver(release, fileTags, file.tags));
    const over = rowCells(file.used, members);
    found.push(...smallResidues(over.now, over.past, least));
  }
  for (const [column, own] of people) {
    const known = past.flatMap(({ at, person, people: theirs }) =>
      person === column && theirs !== undefined ? [{ at, people: theirs }] : [],
    );
    const persons = personCells(own, known);
    found.push(...smallResidues(persons.now, persons.past, least));
  }
  return found;
}

/** A release with its tags over one set of columns, its own or those of a release before it. */
function releasedOver(
  { at, digest, tags, over = {} }: PastRelease,
  fileTags: BigUint64Array,
  all: ReadonlyMap<string, BigUint64Array>,
): { at: string; tags: RowTags; fileTags: BigUint64Array }[] {
  const other = Object.keys(over).find((earlier) => all.get(earlier) === fileTags);
  const known = all.get(digest) === fileTags ? tags : over[other ?? ''];
  return known === undefined ? [] : [{ at, tags: known, fileTags }];
}
