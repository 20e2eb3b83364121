import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import { appointOperator, identify } from './access.ts';
import { concludeLater } from './conclude-later.ts';
import { contribute, intake } from './contributions.ts';
import type { Coordinator } from './coordinator.ts';
import { agreements, type Conclude, type Desk } from './desk.ts';
import { countFigures } from './figures.ts';
import { operationsOf } from './handlers.ts';
import { createMeter } from './meter.ts';
import type { Store } from './store.ts';
import { tend } from './tend.ts';
import { watchStudy } from './watch.ts';

export { hasOperator, newToken } from './access.ts';
export type { Conclude } from './desk.ts';

export interface CoordinatorOptions {
  readonly store: Store;
  readonly now?: () => Date;
  /** Where the total is resolved; in this thread unless given. */
  readonly conclude?: Conclude;
  /** Becomes the operator's only token. */
  readonly operatorToken?: string;
}

/** A coordinator over a store; several may share one. */
export async function createCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { store, now = () => new Date(), conclude = concludeLater, operatorToken } = options;
  const desk: Desk = {
    store,
    signing: await sharedKey(store),
    now,
    conclude,
    agreed: agreements(store),
  };
  if (operatorToken !== undefined) await appointOperator(store, operatorToken, now());
  // A crash may have come between an erasure and its scrubbing; another process may be reading.
  await store.scrub().catch(() => {});
  const meter = createMeter(store);
  return {
    key: desk.signing.key,
    identify: (token) => identify(store.db, token, now()),
    ...operationsOf(desk),
    intake: (caller, id) => intake(desk, caller, id),
    contribute: (caller, id, file) => contribute(desk, caller, id, file),
    watch: (caller, id, from, signal) => watchStudy(desk, caller, id, from, signal),
    meter: async (study, site, traffic) => meter.add(study, site, traffic),
    tend: async () => {
      await meter.flush();
      await tend(desk);
    },
    check: async () => {
      await store.db.selectFrom('settings').select('name').limit(1).execute();
    },
    figures: () => countFigures(store),
  };
}

/** The signing key that all coordinators on a store share; the first one makes it. */
async function sharedKey(store: Store): Promise<SigningKey> {
  const secret = await store.write('', async (db) => {
    await db
      .insertInto('settings')
      .values({ name: 'signing_secret', value: createSigningKey().secret })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'signing_secret')
      .executeTakeFirstOrThrow();
    return row.value;
  });
  return signingKey(secret);
}
