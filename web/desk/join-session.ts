import type { Failure } from '../../src/failure.ts';
import type { StudyClient } from '../../src/protocol/client.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import type { Standing } from '../../src/site/join.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import type { BrowserHome } from './browser-home.ts';

/** What the desk holds of a site's visit: statistics and keys stay here, words cross to the page. */
export interface JoinSession {
  readonly client: StudyClient;
  readonly standing: Standing;
  /** Or why this browser has none. */
  readonly home: BrowserHome | Failure;
  /** What was read last and may be sent. */
  prepared?: Prepared | undefined;
}

let session: JoinSession | undefined;

export function beginSession(begun: JoinSession): void {
  session = begun;
}

/** The visit that the page is in. */
export function presentSession(): JoinSession {
  if (session !== undefined) return session;
  throw new Refusal('conflict', 'the study is not at hand', 'reload the page');
}

/** The home of this browser; refuses where it has none. */
export function homeOf({ home }: JoinSession): BrowserHome {
  if (!('problem' in home)) return home;
  throw new Refusal('not-allowed', home.problem, home.remedy);
}

/** What was read last; refuses where nothing was, or it has left already. */
export function preparedIn({ prepared }: JoinSession): Prepared {
  if (prepared !== undefined) return prepared;
  throw new Refusal('conflict', 'nothing is ready to be sent', 'choose a file');
}
