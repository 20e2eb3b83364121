/** The cells of a row. A single one gets a neighbour: an empty cell alone would be an empty line, which is no row. */
export function cellsInRow(cells: readonly string[]): string {
  return cells.length === 1 ? `${cells[0]}, 1` : cells.join(', ');
}

/** The header of rows that `cellsInRow` writes. */
export function headerOfRow(names: readonly string[]): readonly string[] {
  return names.length === 1 ? [names[0]!, ''] : names;
}

/** The name of a select in a from clause. */
export const SELECTED = 'suffice_rows';
