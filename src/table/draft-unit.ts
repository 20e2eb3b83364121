import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import type { ColumnDraft } from './draft.ts';
import { cellsIn } from './many-levels.ts';
import { DAYS } from './written-date.ts';
import { sameUnit } from './written-number.ts';

/** The unit that all numbers of a column are written with; undefined for bare numbers. Refuses several units. */
export function draftedUnit({ written }: ColumnDraft, place: Place): string | undefined {
  const [first, ...others] = [...written.keys()].sort();
  if (others.every((unit) => unit !== '' && first !== '' && sameUnit(unit, first))) {
    return first === '' ? undefined : first;
  }
  const files = new Set([...written.values()].flatMap((counts) => [...counts.keys()]));
  const parts = [...written].map(([unit, counts]) => {
    const cells = `${cellsIn(counts)} ${unitName(unit)}`;
    return files.size === 1 ? cells : `${cells} (${[...counts.keys()].sort().join(', ')})`;
  });
  const { column } = place;
  throw new DataError(
    `the numbers are not all written alike: ${parts.join(', ')}`,
    {
      ...(column === undefined ? {} : { column }),
      ...(files.size === 1 ? { file: [...files][0]! } : {}),
    },
    'Write all of them with the same unit, or none of them with one.',
  );
}

function unitName(unit: string): string {
  if (unit === '') return 'bare numbers';
  return unit === DAYS ? 'dates' : `with ${unit}`;
}
