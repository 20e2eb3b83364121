import type { PastRelease, ReleaseOutcome } from '../disclosure/history.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { Failure } from '../failure.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { SourceVersion } from '../rows/source.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';

/** A contribution that waits for its receipt, as the outbox tells of it. */
export interface Waiting {
  readonly release: Release;
  readonly approvedAt: string;
  /** Digest of the tags kept of its rows. */
  readonly tags?: string;
}

/** An approved contribution that waits for its receipt. */
export interface Pending {
  readonly release: Release;
  /** The rows as they were when they were read. */
  readonly source: SourceVersion;
  readonly approvedAt: string;
  readonly file: Uint8Array;
  /** Of the rows it was made of, over `release.columns`. */
  readonly tags?: RowTags;
}

/** Where a site keeps what is its own: its key, what it released, what it is releasing, and its receipts. */
export interface SiteHome {
  /** The key the site signs with; made at first use and never again. */
  key(): Promise<SigningKey>;
  /** Adds a line to the ledger unless the same release is in it, and returns once it is kept. */
  record(line: LedgerLine, tags?: RowTags, reviewed?: readonly string[]): Promise<void>;
  ledger(): Promise<readonly LedgerLine[]>;
  /** What has left, in its order, and what was approved and may have left: each file once. */
  past(): Promise<readonly PastRelease[]>;
  /** What was approved and has no receipt yet, oldest first. */
  waiting(): Promise<readonly Waiting[]>;
  /** What about the ledger is not as the site left it; undefined where nothing is. */
  verify(): Promise<Failure | undefined>;
  /** The 128 bits, as four words, that rows are tagged under. */
  tagKey(): Promise<Uint32Array>;
  pending(study: string, site: string): Promise<Pending | undefined>;
  /** Refuses where more has left, or waits, than what was reviewed. */
  hold(pending: Pending, reviewed?: readonly string[]): Promise<void>;
  /** Forgets what was waiting. */
  discard(study: string, site: string): Promise<void>;
  /** Keeps a receipt as JSON and as text; says where. */
  keepReceipt(receipt: SealedReceipt, text: string): Promise<string>;
}

/** Refuses to go on with a ledger that is not as the site left it. */
export async function refuseDoubtfulLedger(home: SiteHome): Promise<void> {
  const doubt = await home.verify();
  if (doubt !== undefined) throw refusalOf(doubt);
}

/** What a doubt is to whoever would release more: a refusal by policy. */
export function refusalOf({ problem, remedy }: Failure): Refusal {
  return new Refusal(
    'not-allowed',
    `the ledger of this site cannot be trusted: ${problem}`,
    remedy,
  );
}

/** What became of a release; lines from before this was written down went to a coordinator or into a file. */
export function outcomeOf({ outcome, to }: LedgerLine): ReleaseOutcome {
  return outcome ?? (/^https?:/.test(to) ? 'acknowledged' : 'written');
}

/** Refuses a release that was prepared while another one was: the two have not been compared. */
export function refuseUnreviewed(
  lines: readonly LedgerLine[],
  waiting: readonly Pick<Waiting, 'release'>[],
  reviewed: readonly string[] | undefined,
): void {
  if (reviewed === undefined) return;
  const known = new Set(reviewed);
  const digests = [...lines, ...waiting.map(({ release }) => release)].map(({ digest }) => digest);
  if (digests.every((digest) => known.has(digest))) return;
  throw new Refusal(
    'conflict',
    'another release of this site was made meanwhile; nothing was sent',
    'begin again: what would leave is then compared with that one too',
  );
}
