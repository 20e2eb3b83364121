import type { SqlDialect } from './dialect.ts';
import { type Named, namedBehind, type Sql } from './layers.ts';

/** Aggregates over the columns of a table, with no select inside. */
export interface Flat {
  /** Values with names, for engines whose selects can have some. */
  readonly named: readonly string[];
  readonly columns: readonly string[];
}

/**
 * The values behind `outputs` in one select. Engines send such a select, and no other, to the servers that hold the rows: what is
 * around an inner select is computed by the server that was asked.
 */
export function flat(outputs: readonly Sql[], { named }: Pick<SqlDialect, 'named'>): Flat {
  const texts = new Map<Named, string>();
  const written = ({ parts }: Sql) =>
    parts.map((part) => (typeof part === 'string' ? part : texts.get(part)!)).join('');
  const definitions = namedBehind(outputs).map((one) => {
    const text = `(${written(one.definition)})`;
    texts.set(one, named === undefined ? text : one.name);
    return named?.(text, one.name) ?? text;
  });
  return { named: named === undefined ? [] : definitions, columns: outputs.map(written) };
}

/** The length of each aggregate with everything written out, which an engine analyses even where values have names. */
export function flatLengths(outputs: readonly Sql[]): readonly number[] {
  const lengths = new Map<Named, number>();
  const lengthOf = ({ parts }: Sql) =>
    parts.reduce(
      (sum, part) => sum + (typeof part === 'string' ? part.length : lengths.get(part)!),
      0,
    );
  for (const one of namedBehind(outputs)) lengths.set(one, lengthOf(one.definition) + 2);
  return outputs.map(lengthOf);
}
