import type { Failure } from '../../src/failure.ts';
import type { StudyClient } from '../../src/protocol/client.ts';
import type { FollowedRound } from '../../src/protocol/follow-rounds.ts';
import type { Link } from '../../src/protocol/link.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import type { SiteMembership } from '../../src/site/join.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import type { PreparedParty } from '../../src/site/prepare-party.ts';
import type { BrowserSiteStore } from './browser-site-store.ts';

/** A site's session in the worker. Statistics and keys stay here; the page gets only what it shows. */
export interface JoinSession {
  readonly client: StudyClient;
  /** Of the newest round. */
  readonly link: Link;
  /** The newest round. */
  readonly membership: SiteMembership;
  readonly earlier: readonly FollowedRound[];
  /** The site's store, or why this browser has none. */
  readonly store: BrowserSiteStore | Failure;
  /** The contribution prepared last; it may be sent. */
  prepared?: Prepared | undefined;
  /** Where parties hold different columns: the file read last; it may take part. */
  party?: PreparedParty | undefined;
  /** Answers the question about linked rows, while there is one. */
  answer?: ((approved: boolean) => void) | undefined;
  /** Hears how much of a large contribution has arrived. */
  uploading?: ((upload: UploadView) => void) | undefined;
}

/** How much of a contribution that is sent in blocks the coordinator has stored. */
export interface UploadView {
  readonly arrivedBytes: number;
  readonly bytes: number;
}

let session: JoinSession | undefined;

export function beginSession(begun: JoinSession): void {
  session = begun;
}

/** The session of this page. */
export function presentSession(): JoinSession {
  if (session !== undefined) return session;
  throw new Refusal('conflict', 'the study is not loaded', 'reload the page');
}

/** Does work whose upload the page shows. */
export async function watchingUpload<T>(
  session: JoinSession,
  update: (upload: UploadView) => void,
  work: () => Promise<T>,
): Promise<T> {
  session.uploading = update;
  try {
    return await work();
  } finally {
    session.uploading = undefined;
  }
}

/** The site's store. Throws if this browser has none. */
export function siteStoreOf({ store }: JoinSession): BrowserSiteStore {
  if (!('problem' in store)) return store;
  throw new Refusal('not-allowed', store.problem, store.remedy);
}

/** The prepared contribution. Throws if there is none, or if it was already sent. */
export function preparedIn({ prepared }: JoinSession): Prepared {
  if (prepared !== undefined) return prepared;
  throw new Refusal('conflict', 'nothing is ready to be sent', 'choose a file');
}
