import type { KeyPair } from '../cipher/kem.ts';
import { type KemName, kemNames, loadKem } from '../cipher/kems.ts';
import { sharedSetting, sharedSigningKey } from '../coordinator/shared-secrets.ts';
import type { Store } from '../coordinator/store.ts';
import type { HelperDescription } from '../protocol/helper-messages.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { newNonce } from '../random/nonce.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** The secrets of a helper: keys that seeds are sealed to, a key for statements, and the secret of its noise. */
export interface HelperKeys {
  readonly seals: Readonly<Record<KemName, KeyPair>>;
  readonly signing: SigningKey;
  readonly noise: string;
}

/** The keys in a store; made at first use. */
export async function helperKeys(store: Store): Promise<HelperKeys> {
  const pairs = await Promise.all(
    kemNames.map(async (name) => {
      const kem = await loadKem(name);
      const seed = await sharedSetting(store, `helper_seal_${name}`, newNonce());
      return [name, kem.keys(fromBase64url(seed)!)] as const;
    }),
  );
  return {
    seals: Object.fromEntries(pairs) as Record<KemName, KeyPair>,
    signing: await sharedSigningKey(store),
    noise: await sharedSetting(store, 'helper_noise', newNonce()),
  };
}

/** What a helper tells everybody. */
export function describeKeys({ seals, signing }: HelperKeys): HelperDescription {
  return {
    schema: 'suffice/helper@1',
    keys: {
      x25519: toBase64url(seals.x25519.publicKey),
      'x-wing': toBase64url(seals['x-wing'].publicKey),
    },
    signingKey: signing.key,
  };
}
