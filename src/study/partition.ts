/** How the rows of parties are linked. */
export type Linkage = 'hmac' | 'ecdh';

/**
 * Parties hold different columns of the same people. They link their rows by a key, and each sends a share of the one
 * total: the shares add up to the sums of the joined table, and tell nothing else.
 */
export interface VerticalPartition {
  readonly kind: 'vertical';
  /** Columns that say who a row is about, at every party; several lists are tried in turn, and the first match counts. */
  readonly key: readonly string[] | readonly (readonly string[])[];
  /** Which party has which columns of the codebook. */
  readonly parties: Readonly<Record<string, readonly string[]>>;
  /**
   * How rows are linked: "hmac" (the default), by keyed tokens that a helper compares; "ecdh", by points that two parties encrypt for each
   * other, so that no helper sees anything about a key.
   */
  readonly linkage?: Linkage;
  /** Rows of a party that share their first key: refuse the file (the default), or link none of them. */
  readonly duplicates?: 'refuse' | 'leave-out';
  /** The public keys that the parties sign with. Needed to run the study between parties; not for the rows of one owner. */
  readonly roster?: Readonly<Record<string, string>>;
  /** Links the rows and deals random numbers; another organisation, which must not work together with a party. Needed like the roster. */
  readonly helper?: PartitionHelper;
}

/** The helper of a partition. */
export interface PartitionHelper {
  /** Where the coordinator asks it. */
  readonly url: string;
  /** Its X25519 public key, as base64url: tokens are encrypted to it. */
  readonly key: string;
  /** The public key that it signs its answers with, as base64url. */
  readonly signingKey: string;
}
