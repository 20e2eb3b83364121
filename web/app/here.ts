/** The pages, by the last segment of their address. */
export type PageName = '' | 'create' | 'study' | 'result' | 'predict' | 'join' | 'lab';

/** What the address says: which page, and whose secret is behind `#`. Nothing behind `#` is ever sent in an address. */
export interface Here {
  readonly page: PageName | undefined;
  /** Address of the coordinator without a trailing slash. */
  readonly coordinator: string;
  /** A study, a bearer secret and the coordinator's key, where the address names them. */
  readonly link?: StudyLink;
  /** The operator's secret, where the address is one's. */
  readonly operator?: string;
  /** Whether the address names a study as the operator's pages do, and this tab does not have the operator's secret. */
  readonly asksOperator?: true;
}

/** What is behind `#` in the link of a study. */
export interface StudyLink {
  readonly coordinator: string;
  readonly study: string;
  readonly token: string;
  readonly coordinatorKey: string;
}

/** What every page is given. */
export interface PageProps {
  readonly here: Here;
}

const names: readonly string[] = ['', 'create', 'study', 'result', 'predict', 'join', 'lab'];

/** Reads an address; `operator` is the secret that this tab remembers. */
export function hereOf(
  { origin, pathname, hash }: Pick<Location, 'origin' | 'pathname' | 'hash'>,
  operator?: string,
): Here {
  const cut = pathname.lastIndexOf('/');
  const name = pathname.slice(cut + 1);
  const page = names.includes(name) ? (name as PageName) : undefined;
  const coordinator = origin + pathname.slice(0, cut);
  const text = behindHash(hash);
  if (/^sfo_[A-Za-z0-9_-]{43}$/.test(text)) return { page, coordinator, operator: text };
  const [, study, given, coordinatorKey] =
    /^([0-9a-f]{16})\.(?:(sf[ico]_[A-Za-z0-9_-]{43})\.)?([A-Za-z0-9_-]{43})$/.exec(text) ?? [];
  if (study === undefined) return { page, coordinator };
  const token = given ?? operator;
  if (token === undefined) return { page, coordinator, asksOperator: true };
  return { page, coordinator, link: { coordinator, study, token, coordinatorKey } };
}

/** What is behind `#`; nothing where it was cut in the middle of an encoded character. */
function behindHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

/** Whether the secret is that of a site, rather than of who runs the study. */
export function isSite({ token }: Pick<StudyLink, 'token'>): boolean {
  return token.startsWith('sfi_');
}

/** The address of a page of the same study. The operator's secret opens every study: it stays in the tab's memory. */
export function addressOf(
  page: PageName,
  { coordinator, study, token, coordinatorKey }: StudyLink,
): string {
  const parts = token.startsWith('sfo_') ? [study, coordinatorKey] : [study, token, coordinatorKey];
  return `${coordinator}/${page}#${parts.join('.')}`;
}
