import type { ReleasedColumn } from '../disclosure/release.ts';
import type { Agreement } from '../federate.ts';
import { SITE_COLUMN } from '../study/codebook.ts';

/** The columns that identify a row: all columns read, without the person's id, sorted by name. */
export function taggedColumns({ columns }: Pick<Agreement, 'columns'>): ReleasedColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return [...byName.values()]
    .filter(({ name, column }) => name !== SITE_COLUMN && column.type !== 'id')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
