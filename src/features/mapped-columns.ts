import type { Design, DesignColumn } from './design.ts';

/** The columns that a feature map has made, in its order. */
export function mappedColumns({ columns }: Pick<Design, 'columns'>): DesignColumn[] {
  return columns.filter(({ origin }) => origin === 'mapped');
}

/** Their names, by which a layout and a report know them. */
export function mappedNames(design: Pick<Design, 'columns'>): ReadonlySet<string> {
  return new Set(mappedColumns(design).map(({ name }) => name));
}
