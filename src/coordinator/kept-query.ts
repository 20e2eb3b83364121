import type { CompiledQuery, Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * A query for one row that is compiled once for each store, for requests that come by the thousand. `build` is called with texts
 * in place of the parameters, which it uses in their order.
 */
export function keptQuery<Row>(
  build: (db: Kysely<Tables>) => { compile(): CompiledQuery<Row> },
): (
  store: Pick<Store, 'db' | 'first'>,
  ...parameters: readonly string[]
) => Promise<Row | undefined> {
  const compiled = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>();
  return (store, ...parameters) => {
    const query = compiled.get(store.db) ?? build(store.db).compile();
    compiled.set(store.db, query);
    return store.first({ ...query, parameters });
  };
}
