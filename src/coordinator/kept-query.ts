import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * A query that is compiled once for each database, for requests that come by the thousand. `build` is called with texts in place
 * of the parameters, which it uses in their order.
 */
export function keptQuery<Row>(
  build: (db: Kysely<Tables>) => { compile(): CompiledQuery<Row> },
): (db: Kysely<Tables>, ...parameters: readonly string[]) => Promise<Row | undefined> {
  const compiled = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>();
  return async (db, ...parameters) => {
    const query = compiled.get(db) ?? build(db).compile();
    compiled.set(db, query);
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows[0];
  };
}
