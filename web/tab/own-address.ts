import { type PageName, type StudyLink, secretlessAddress, sharedLink } from './page-address.ts';
import { isRemembered } from './study-token.ts';

/**
 * The address of a page of the same study, for this tab. It has no secret: addresses stay in the history of the browser,
 * and people copy them. Only where the browser keeps nothing for the tab does it have the secret of the link, and never the
 * operator's, which opens every study.
 */
export function addressOf(page: PageName, link: StudyLink): string {
  if (link.token.startsWith('sfo_') || isRemembered(link)) return secretlessAddress(page, link);
  const shared = new URL(sharedLink('study', link));
  return `${link.coordinator}/${page}${shared.hash}`;
}
