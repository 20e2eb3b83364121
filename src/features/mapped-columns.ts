import type { Design, DesignColumn } from './design.ts';

/** The columns that a feature map made, in its order. */
export function mappedColumns({ columns }: Pick<Design, 'columns'>): DesignColumn[] {
  return columns.filter(({ origin }) => origin === 'mapped');
}

/** Their names, as in a layout and a report. */
export function mappedNames(design: Pick<Design, 'columns'>): ReadonlySet<string> {
  return new Set(mappedColumns(design).map(({ name }) => name));
}
