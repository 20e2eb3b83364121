import type { Kem, KemSizes } from './kem.ts';
import { x25519Kem } from './x25519-kem.ts';

/** The ways to agree on a secret, by their names in a study. */
export type KemName = 'x25519' | 'x-wing';

export const kemNames: readonly ['x25519', 'x-wing'] = ['x25519', 'x-wing'];

/** Bytes of public keys and messages, for parties that seal and open nothing: they need not load the code. */
export const kemSizes: Readonly<Record<KemName, KemSizes>> = {
  x25519: { publicKeyBytes: 32, messageBytes: 32 },
  'x-wing': { publicKeyBytes: 1216, messageBytes: 1120 },
};

const loaded = new Map<KemName, Kem>([['x25519', x25519Kem]]);

/** Loads the code of a KEM. The one of X-Wing is large, and few studies ask for it. */
export async function loadKem(name: KemName): Promise<Kem> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const { xWingKem } = await import('./x-wing-kem.ts');
  loaded.set(name, xWingKem);
  return xWingKem;
}

/** A KEM that was loaded before. */
export function loadedKem(name: KemName): Kem {
  const kem = loaded.get(name);
  if (kem === undefined) throw new Error(`the code of ${name} is not loaded`);
  return kem;
}
