/** Where a resolution stands in the audit log of its study, or what is wrong with the log. */
export type LogPlace =
  | {
      readonly position: number;
      /** Entries of the log when it was read. */
      readonly entries: number;
      /** Digest of its newest entry: who compares it with another reader sees the same log. */
      readonly head: string;
    }
  | { readonly problem: string };

/** A receipt of the site that asks. */
export interface OwnReceipt {
  readonly digest: string;
  readonly receivedAt: string;
  readonly bytes: number;
}
