import { isPublicKey } from './signature.ts';

/**
 * What a link gives its holder: where the coordinator is, which study, the bearer secret, and the
 * key the coordinator signs with. All but the address sits behind `#`, which browsers and
 * clients never send.
 */
export interface Link {
  /** Address of the coordinator without a trailing slash. */
  readonly coordinator: string;
  /** `join` for a site, `study` for who runs the study. */
  readonly purpose: 'join' | 'study';
  /** Id of the study: the first sixteen hex digits of its digest. */
  readonly study: string;
  readonly token: string;
  readonly coordinatorKey: string;
}

export function linkText({ coordinator, purpose, study, token, coordinatorKey }: Link): string {
  return `${coordinator}/${purpose}#${study}.${token}.${coordinatorKey}`;
}

/** Bearer secrets that a link may hold; who operates the coordinator runs every study with one secret. */
const tokens: Readonly<Record<Link['purpose'], RegExp>> = {
  join: /^sf[ic]_[A-Za-z0-9_-]{43}$/,
  study: /^sf[ico]_[A-Za-z0-9_-]{43}$/,
};

/** Reads a link, or says why the text is none (without repeating it: it may hold a secret). */
export function parseLink(text: string): Link | { readonly problem: string } {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return { problem: 'it is not a link' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'it must start with https:// or http://' };
  }
  const place = /^(.*)\/(join|study)$/.exec(url.pathname);
  if (place === null) return { problem: 'its path must end in /join or /study' };
  const [study, token, coordinatorKey, ...rest] = url.hash.slice(1).split('.');
  if (rest.length > 0 || !/^[0-9a-f]{16}$/.test(study)) {
    return { problem: 'the part behind # is not complete' };
  }
  const purpose = place[2] as Link['purpose'];
  if (token === undefined || !tokens[purpose].test(token)) {
    return { problem: 'the part behind # is not complete' };
  }
  if (coordinatorKey === undefined || !isPublicKey(coordinatorKey)) {
    return { problem: 'the part behind # is not complete' };
  }
  return {
    coordinator: `${url.origin}${place[1]}`,
    purpose,
    study,
    token,
    coordinatorKey,
  };
}

/** Id under which a coordinator knows a study. */
export function studyId(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 16);
}
