import type { PrivacyTerms } from '../study/study.ts';

/** Keeps the first rows of each person, as many as the study hides. */
export interface People {
  /** Takes the id column of all rows read: equal numbers are one person, NaN is a row without a person. */
  meet(ids: Float64Array): void;
  /**
   * Indices of the rows to keep, given the ids of the next complete rows. Whether a row is kept depends on earlier rows of
   * the same person only, so a person changes the sums by at most this many rows.
   */
  keep(ids: Float64Array): Int32Array;
  /** Persons met so far; a row without an id counts as a person of its own. */
  readonly number: number;
}

export function keptRowsOfPeople({
  person,
  rowsPerPerson,
}: Pick<PrivacyTerms, 'person' | 'rowsPerPerson'>): People {
  if (person === undefined || rowsPerPerson === undefined) {
    throw new RangeError('unit "person" needs person and rowsPerPerson');
  }
  const met = new Set<number>();
  const kept = new Map<number, number>();
  let nameless = 0;
  return {
    meet(ids) {
      for (const id of ids) {
        if (Number.isNaN(id)) nameless++;
        else met.add(id);
      }
    },
    keep(ids) {
      const rows: number[] = [];
      ids.forEach((id, r) => {
        const before = kept.get(id) ?? 0;
        if (before >= rowsPerPerson) return;
        kept.set(id, before + 1);
        rows.push(r);
      });
      return Int32Array.from(rows);
    },
    get number() {
      return met.size + nameless;
    },
  };
}
