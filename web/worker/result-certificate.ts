/** Position of a resolution in the study's audit log, or the problem with the log. */
export type LogPlace =
  | {
      readonly position: number;
      /** Number of entries in the log. */
      readonly entries: number;
      /** Digest of the newest entry: readers with the same digest have the same log. */
      readonly head: string;
    }
  | { readonly problem: string };

/** A receipt of the site that holds the link. */
export interface OwnReceipt {
  readonly digest: string;
  readonly receivedAt: string;
  readonly bytes: number;
}
