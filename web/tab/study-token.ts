import { isSite, type PageName, type StudyLink } from './page-address.ts';
import { recall, remember, survivesReload } from './tab-memory.ts';

type Named = Pick<StudyLink, 'study' | 'coordinatorKey'>;

/** Where this tab keeps the secrets of a study: the site's, the analyst's, and the one that was used last. */
const placeOf = ({ study, coordinatorKey }: Named, kind: 'site' | 'analyst' | 'last') =>
  `suffice ${kind} ${study}.${coordinatorKey}`;

/** Keeps the secret of a link in this tab; false if a reload would lose it. The operator's secret has its own place. */
export function rememberToken(link: Named & Pick<StudyLink, 'token'>): boolean {
  const { token } = link;
  const place = placeOf(link, isSite({ token }) ? 'site' : 'analyst');
  remember(place, token);
  remember(placeOf(link, 'last'), token);
  return survivesReload(place);
}

/** The secret that this tab has for a page of a study. One tab may have opened an invitation and the analyst's link. */
export function recallToken(page: PageName | undefined, link: Named): string | undefined {
  const of = (kind: 'site' | 'analyst' | 'last') => recall(placeOf(link, kind));
  if (page === 'join') return of('site') ?? of('last');
  if (page === 'study') return of('analyst') ?? of('last');
  return of('last');
}

/** Whether this tab has the secret of a link, so that an address needs none. */
export function isRemembered(link: Named & Pick<StudyLink, 'token'>): boolean {
  const place = placeOf(link, isSite(link) ? 'site' : 'analyst');
  return recall(place) === link.token && survivesReload(place);
}
