import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';

/** A process that writes rows to a store others write to as well: kind, address, prefix, count. */
const [kind, address, prefix, count] = process.argv.slice(2);
const store = await (kind === 'sqlite' ? openSqliteStore : openPostgresStore)(address);
for (let k = 0; k < Number(count); k++) {
  await store.write('s', async (db) => {
    await db
      .insertInto('settings')
      .values({ name: `${prefix}${k}`, value: '1' })
      .execute();
  });
}
await store.close();
