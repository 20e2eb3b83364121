import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import { newNonce } from '../random/nonce.ts';
import type { Store } from './store.ts';

/** The secret of central noise, and the time from which studies use it; earlier ones use the signing secret. */
export interface NoiseSecret {
  readonly secret: string;
  /** ISO 8601. Fixed with the secret: the noise of a study never changes. */
  readonly since: string;
}

/** The signing key that all coordinators on a store share; the first one creates it. */
export async function sharedSigningKey(store: Store): Promise<SigningKey> {
  return signingKey(await sharedSetting(store, 'signing_secret', createSigningKey().secret));
}

/** The secret of noise that all coordinators on a store share; the first one of this version creates it. */
export async function sharedNoiseSecret(
  store: Store,
  now: () => Promise<string>,
): Promise<NoiseSecret> {
  const made: NoiseSecret = { secret: newNonce(), since: await now() };
  return JSON.parse(await sharedSetting(store, 'noise_secret', JSON.stringify(made)));
}

/** A setting of the store; becomes `value` if there is none yet. */
export function sharedSetting(store: Store, name: string, value: string): Promise<string> {
  return store.write('', async (db) => {
    await db
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return row.value;
  });
}
