import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import { visibleText } from '../text/visible-text.ts';
import type { SiteStore } from './site-store.ts';

/** A site of a study, and who may take part in it. */
interface RosterPlace {
  readonly agreed: Pick<Agreement, 'aggregation'>;
  readonly site: string;
}

/** Why this site cannot take part with this key: the roster of the study names another one. */
export function strangeKey(
  { agreed: { aggregation }, site }: RosterPlace,
  key: string,
): Failure | undefined {
  const { roster } = aggregation;
  if (roster === undefined || roster[site] === key) return undefined;
  return {
    problem: Object.hasOwn(roster, site)
      ? `the study knows ${visibleText(site)} by another key than the one here, ${shortKey(key)}`
      : `the roster of the study has no site ${visibleText(site)}`,
    remedy:
      'take part where the key on the roster was made, or give your key to the analyst, who makes the study again with it',
  };
}

/** Refuses a site whose key is not on the roster of the study, before anything is read. */
export async function refuseStrangeKey(
  place: RosterPlace,
  store: Pick<SiteStore, 'key'>,
): Promise<void> {
  requireRosterKey(place, (await store.key()).key);
}

/** The same for a key that is known. */
export function requireRosterKey(place: RosterPlace, key: string): void {
  const failure = strangeKey(place, key);
  if (failure === undefined) return;
  throw new Refusal(
    'not-allowed',
    `${failure.problem}; nothing was read and nothing was sent`,
    failure.remedy,
  );
}

/** The beginning of a public key, to compare by eye: 72 bits. */
export function shortKey(key: string): string {
  return `${key.slice(0, 12)}…`;
}
