import type { CellKind } from './engine.ts';

/** Types of PostgreSQL by the number that the server gives them (catalog pg_type); any other enum or text-like type is text. */
const kinds: ReadonlyMap<number, CellKind> = new Map([
  [16, 'logical'], // boolean
  [20, 'number'], // bigint
  [21, 'number'], // smallint
  [23, 'number'], // integer
  [700, 'number'], // real
  [701, 'number'], // double precision
  [1700, 'number'], // numeric
  [18, 'text'], // "char"
  [19, 'text'], // name
  [25, 'text'], // text
  [1042, 'text'], // character
  [1043, 'text'], // character varying
  [2950, 'text'], // uuid
  [1082, 'date'],
]);

/** What the cells of a type are; `category` is pg_type.typcategory (S: text-like, E: enum). */
export function postgresKind(oid: number, category: string): CellKind {
  return kinds.get(oid) ?? (category === 'S' || category === 'E' ? 'text' : 'other');
}
