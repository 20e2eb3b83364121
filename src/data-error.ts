import type { Place } from './failure.ts';

/**
 * Input that cannot be used as it stands: says where, what rule it breaks and what to do.
 * Never carries the value itself: messages travel to logs and terminals, rows do not.
 */
export class DataError extends Error {
  readonly problem: string;
  readonly place: Place;
  readonly remedy: string;

  constructor(problem: string, place: Place, remedy: string) {
    super(`${describePlace(place)}${problem}`);
    this.name = 'DataError';
    this.problem = problem;
    this.place = place;
    this.remedy = remedy;
  }
}

function describePlace({ file, row, column }: Place): string {
  const parts: string[] = [];
  if (file !== undefined) parts.push(file);
  if (row !== undefined) parts.push(`row ${row}`);
  if (column !== undefined) parts.push(`column "${column}"`);
  return parts.length === 0 ? '' : `${parts.join(', ')}: `;
}
