import { isPublicKey } from './signature.ts';
import { studyOfPart, studyPart } from './study-part.ts';

/**
 * A link to a study: the address of the coordinator, the id of the study, a bearer secret, and the
 * coordinator's public key. All but the address is after `#`, which browsers and clients never
 * send.
 */
export interface Link {
  /** Address of the coordinator without a trailing slash. */
  readonly coordinator: string;
  /** `join` for a site or for any device, `study` for the analyst. */
  readonly purpose: 'join' | 'study';
  /** Id of the study: the first sixteen hex digits of its digest. */
  readonly study: string;
  /** Digest of the study, whole. Absent in links of 0.1, which bind the id alone. */
  readonly digest?: string;
  readonly token: string;
  readonly coordinatorKey: string;
}

/** A link as text, with its secret behind the #. */
export function linkText({ coordinator, purpose, token, coordinatorKey, ...link }: Link): string {
  return `${coordinator}/${purpose}#${studyPart(link)}.${token}.${coordinatorKey}`;
}

/** Bearer secrets that a link may have. The operator's one secret works for every study. */
const tokens: Readonly<Record<Link['purpose'], RegExp>> = {
  join: /^sf[ice]_[A-Za-z0-9_-]{43}$/,
  study: /^sf[ico]_[A-Za-z0-9_-]{43}$/,
};

/** Parses a link, or says why the text is not one, without quoting it: it may contain a secret. */
export function parseLink(text: string): Link | { readonly problem: string } {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return { problem: 'this is not a link' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'a link must start with https:// or http://' };
  }
  const place = /^(.*)\/(join|study)$/.exec(url.pathname);
  if (place === null) return { problem: 'the part before # must end in /join or /study' };
  const [part, token, coordinatorKey, ...rest] = url.hash.slice(1).split('.');
  const named = studyOfPart(part);
  if (rest.length > 0 || named === undefined) {
    return { problem: 'the part after # is not complete' };
  }
  const purpose = place[2] as Link['purpose'];
  if (token === undefined || !tokens[purpose].test(token)) {
    return { problem: 'the part after # is not complete' };
  }
  if (coordinatorKey === undefined || !isPublicKey(coordinatorKey)) {
    return { problem: 'the part after # is not complete' };
  }
  return {
    coordinator: `${url.origin}${place[1]}`,
    purpose,
    ...named,
    token,
    coordinatorKey,
  };
}
