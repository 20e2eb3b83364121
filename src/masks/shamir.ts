import { combine, split } from 'shamir-secret-sharing';
import { seededWords } from '../random/seeded-words.ts';
import type { WordSource } from '../random/words.ts';

/** Bytes of a share of a 32-byte secret: its last byte is its place. */
export const shareBytes = 33;

/** Shares of a secret of 32 bytes, of which `threshold` give it back and fewer tell nothing (Shamir 1979, in GF(256)). */
export function shareSecret(
  secret: Uint8Array,
  shares: number,
  threshold: number,
): Promise<Uint8Array[]> {
  return split(secret, shares, threshold);
}

/** Sets of shares that are tried where some of them are wrong. */
const MOST_TRIES = 1000;

/** A secret, and who gave a wrong share of it. */
export interface Recovered {
  readonly secret: Uint8Array;
  readonly liars: readonly string[];
}

/**
 * The secret of shares by holder; undefined if no `threshold` of them give one that `isRight`. Where the first ones give none, other
 * ones are tried, and then each is checked; `doubtful` holders come last.
 */
export async function recoverSecret(
  shares: ReadonlyMap<string, Uint8Array>,
  threshold: number,
  isRight: (secret: Uint8Array) => boolean,
  doubtful: ReadonlySet<string>,
): Promise<Recovered | undefined> {
  const usable = [...shares].filter(([, share]) => isShare(share));
  const trusted = usable.filter(([holder]) => !doubtful.has(holder));
  const held = [...trusted, ...usable.filter(([holder]) => doubtful.has(holder))];
  if (held.length < threshold) return undefined;
  const rightOf = async (some: readonly Held[]) => {
    const secret = await combined(some.map(([, share]) => share));
    return secret !== undefined && isRight(secret) ? secret : undefined;
  };
  const first = await rightOf(held.slice(0, threshold));
  if (first !== undefined) return { secret: first, liars: [] };
  if (held.length === threshold) return undefined;
  const random = seededWords(threshold);
  for (let k = 0; k < MOST_TRIES; k++) {
    const tried = drawn(held, threshold, random);
    const secret = await rightOf(tried);
    if (secret === undefined) continue;
    const [, ...others] = tried;
    const liars: string[] = [];
    // A right share gives the secret in place of another right one.
    for (const [holder, share] of shares) {
      if (tried.some(([name]) => name === holder)) continue;
      const right = isShare(share) && (await rightOf([[holder, share], ...others]));
      if (!right) liars.push(holder);
    }
    return { secret, liars };
  }
  return undefined;
}

type Held = readonly [string, Uint8Array];

function drawn(held: readonly Held[], count: number, random: WordSource): readonly Held[] {
  return held
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ one }) => one);
}

function isShare(share: Uint8Array): boolean {
  return share.length === shareBytes && share[shareBytes - 1] !== 0;
}

async function combined(shares: Uint8Array[]): Promise<Uint8Array | undefined> {
  // Two shares at one place cannot both be right.
  const places = new Set(shares.map((share) => share[shareBytes - 1]));
  return places.size === shares.length ? combine(shares) : undefined;
}
