import type { CellKind } from './engine.ts';

/** Types of MySQL and MariaDB by their number in the protocol. */
const types: ReadonlyMap<number, readonly [name: string, kind: CellKind]> = new Map([
  [0, ['decimal', 'number']],
  [1, ['tinyint', 'number']],
  [2, ['smallint', 'number']],
  [3, ['int', 'number']],
  [4, ['float', 'number']],
  [5, ['double', 'number']],
  [7, ['timestamp', 'other']],
  [8, ['bigint', 'number']],
  [9, ['mediumint', 'number']],
  [10, ['date', 'date']],
  [11, ['time', 'other']],
  [12, ['datetime', 'other']],
  [13, ['year', 'number']],
  [16, ['bit', 'other']],
  [245, ['json', 'other']],
  [246, ['decimal', 'number']],
]);

/** Types of text, and of bytes where the character set is `binary`. */
const TEXTS: readonly number[] = [15, 247, 248, 249, 250, 251, 252, 253, 254];
const BINARY = 63;

/** The name of a type and what its cells are. */
export function mysqlKind(
  type: number,
  characterSet: number,
): { readonly type: string; readonly kind: CellKind } {
  if (TEXTS.includes(type)) {
    return characterSet === BINARY
      ? { type: 'binary', kind: 'other' }
      : { type: 'text', kind: 'text' };
  }
  const [name, kind] = types.get(type) ?? ['unknown', 'other'];
  return { type: name, kind };
}
