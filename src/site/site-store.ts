import { defined } from '../defined.ts';
import type { PastRelease, ReleaseOutcome } from '../disclosure/release.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import type { Failure } from '../failure.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { SourceVersion } from '../rows/source.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';

/** Tags of a release beside those of its rows over its own columns. */
export interface OtherTags {
  /** Of its persons, by `release.person`. */
  readonly people?: RowTags;
  /** Of its rows over the columns of earlier releases, by their digests. */
  readonly over?: Readonly<Record<string, RowTags>>;
}

/** Digests of the stored tags of a release. */
export interface TagDigests {
  readonly tags?: string;
  readonly people?: string;
  readonly over?: Readonly<Record<string, string>>;
}

/** A contribution that waits for its receipt, as listed in the outbox. */
export interface Waiting extends TagDigests {
  readonly release: Release;
  readonly approvedAt: string;
}

/** An approved contribution that waits for its receipt. */
export interface Pending extends OtherTags {
  readonly release: Release;
  /** The version of the file when it was read. */
  readonly source: SourceVersion;
  readonly approvedAt: string;
  readonly file: Uint8Array;
  /** Tags of its rows over `release.columns`. */
  readonly tags?: RowTags;
}

/** A site's own store: its key, its ledger of releases, its pending contributions, and its receipts. */
export interface SiteStore {
  /** The site's signing key; created at first use. */
  key(): Promise<SigningKey>;
  /** Adds a line to the ledger unless the same release is there; returns after it is stored. */
  record(
    line: LedgerLine,
    tags?: RowTags,
    reviewed?: readonly string[],
    others?: OtherTags,
  ): Promise<void>;
  ledger(): Promise<readonly LedgerLine[]>;
  /** Earlier releases in order, and approved ones that may have been sent; each file once. */
  past(): Promise<readonly PastRelease[]>;
  /** Approved contributions without a receipt, oldest first. */
  waiting(): Promise<readonly Waiting[]>;
  /** What is wrong with the ledger; undefined if nothing is. */
  verify(): Promise<Failure | undefined>;
  /** Disclosure rules that the site keeps; they tighten those of every study. */
  rules?(): Promise<SiteRules | undefined>;
  /** The key of the row tags: 128 bits as four words. */
  tagKey(): Promise<Uint32Array>;
  pending(study: string, site: string): Promise<Pending | undefined>;
  /** Stores an approved contribution before it is sent; refuses if there are releases that are not in `reviewed`. */
  queue(pending: Pending, reviewed?: readonly string[]): Promise<void>;
  /** Removes the pending contribution. */
  discard(study: string, site: string): Promise<void>;
  /** Receipts of this site's contributions to a study. */
  acknowledged(study: string, site: string): Promise<readonly SealedReceipt[]>;
  /** The text of an interrupted training for a study, if there is one; with it the training goes on where it was. */
  training?(study: string, site: string): Promise<string | undefined>;
  /** Stores it in place of the one before; removes it without a text. */
  keepTraining?(study: string, site: string, text?: string): Promise<void>;
  /** The text of what the site keeps of its masks in a study, if there is one; it has secrets. */
  masks?(study: string, site: string): Promise<string | undefined>;
  /** Stores it in place of the one before; returns after it is stored. */
  keepMasks?(study: string, site: string, text: string): Promise<void>;
  /** Stores a receipt as JSON and as text; returns the place. */
  keepReceipt(receipt: SealedReceipt, text: string): Promise<string>;
}

/** Digests of the stored tags that a release refers to. */
export function tagDigests({ tags, people, over = {} }: TagDigests): string[] {
  return [tags, people, ...Object.values(over)].filter((digest) => digest !== undefined);
}

/** Reads the other tags of a release by their digests; what cannot be read is left out. */
export async function readOtherTags(
  { people, over = {} }: TagDigests,
  read: (digest: string) => Promise<RowTags | undefined>,
): Promise<OtherTags> {
  const found: Record<string, RowTags> = {};
  for (const [digest, tags] of Object.entries(over)) {
    const one = await read(tags);
    if (one !== undefined) found[digest] = one;
  }
  return {
    ...defined({ people: people === undefined ? undefined : await read(people) }),
    ...(Object.keys(found).length === 0 ? {} : { over: found }),
  };
}

/** Throws if the ledger is not intact. */
export async function refuseDoubtfulLedger(store: SiteStore): Promise<void> {
  const doubt = await store.verify();
  if (doubt !== undefined) throw refusalOf(doubt);
}

/** The refusal of further releases because of a problem with the ledger. */
export function refusalOf({ problem, remedy }: Failure): Refusal {
  return new Refusal(
    'not-allowed',
    `the ledger of this site cannot be trusted: ${problem}`,
    remedy,
  );
}

/** The outcome of a release; for old lines without an outcome it follows from the recipient. */
export function outcomeOf({ outcome, to }: LedgerLine): ReleaseOutcome {
  return outcome ?? (/^https?:/.test(to) ? 'acknowledged' : 'written');
}

/** Refuses a release if another one was made since its review: the two have not been compared. */
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
    'start again: the contribution is then compared with that release too',
  );
}
