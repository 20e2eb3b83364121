import { DataError } from '../data-error.ts';
import type { PrivacyTerms } from '../study/study.ts';

/** Counts rows by person. */
export interface People {
  /** Takes the id column of some rows: equal numbers are one person. */
  add(ids: Float64Array): void;
  /** Refuses a file in which a person has more rows than the study hides; the message has the number of people, never an id. */
  refuseTooMany(): void;
}

export function rowsOfPeople(
  { person, rowsPerPerson }: Pick<PrivacyTerms, 'person' | 'rowsPerPerson'>,
  file: string,
): People {
  if (person === undefined || rowsPerPerson === undefined) {
    throw new RangeError('unit "person" needs person and rowsPerPerson');
  }
  const counts = new Map<number, number>();
  return {
    add(ids) {
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    },
    refuseTooMany() {
      let many = 0;
      for (const count of counts.values()) if (count > rowsPerPerson) many++;
      if (many === 0) return;
      const have = many === 1 ? 'one person has' : `${many} people have`;
      throw new DataError(
        `${have} more than ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'}, the most this study can hide`,
        { file, column: person },
        `keep at most ${rowsPerPerson} of each, chosen without looking at their values, or ask for a study with more rowsPerPerson`,
      );
    },
  };
}
