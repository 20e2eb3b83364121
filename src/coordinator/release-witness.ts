import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';

/** A total that a private study has published. */
export interface WitnessedRelease {
  /** Number of the resolution. */
  readonly number: number;
  /** Digest that names its contributions. */
  readonly contributions: string;
}

/**
 * A record, outside the store, of the totals that private studies have published. A store that was
 * restored from a copy does not know them, and must not publish them again over other rows.
 */
export interface ReleaseWitness {
  /** Digests of the studies that it knows. */
  studies(): Promise<readonly string[]>;
  /** The newest recorded release of a study; undefined if there is none. */
  newest(study: string): Promise<WitnessedRelease | undefined>;
  /** Returns after the record is durable. Call it before the release is signed. */
  record(study: string, release: WitnessedRelease): Promise<void>;
}

/** Knows nothing: for a coordinator in a test, or in memory. */
export const noWitness: ReleaseWitness = {
  studies: async () => [],
  newest: async () => undefined,
  record: async () => {},
};

/** Whether each release of a study spends a part of its budget, so that none may be made twice. */
export function spendsBudget({ method }: Agreement): boolean {
  return method.noise?.totals !== undefined;
}

/**
 * Why a study may not publish, or collect for it: the store is older than its releases. The same
 * contributions may be released under the same number again, since they get the same noise: a crash
 * may have come between the record and the commit.
 */
export async function olderThanReleases(
  { witness }: { readonly witness: ReleaseWitness },
  agreed: Agreement,
  published: number,
  contributions?: string,
): Promise<Failure | undefined> {
  if (!spendsBudget(agreed)) return undefined;
  const known = await witness.newest(agreed.digest);
  if (known === undefined || known.number <= published) return undefined;
  if (known.number === published + 1 && known.contributions === contributions) return undefined;
  return {
    problem: `resolution ${known.number} of this private study was published, but the coordinator’s store does not have it: the store was restored from an older copy`,
    remedy:
      'restore the newest copy of the store; if there is none, make a new study with a budget of its own',
  };
}
