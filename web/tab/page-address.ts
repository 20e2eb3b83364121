import { studyOfPart, studyPart } from '../../src/protocol/study-part.ts';

/** The pages, by the last segment of their address. */
export type PageName = '' | 'create' | 'study' | 'result' | 'predict' | 'join' | 'lab';

/** The page and the secret in an address. Browsers never send the part after `#`. */
export interface PageAddress {
  readonly page: PageName | undefined;
  /** Address of the coordinator without a trailing slash. */
  readonly coordinator: string;
  /** The link of a study, if the address has one. */
  readonly link?: StudyLink;
  /** The operator's secret, if the address has it. */
  readonly operator?: string;
  /** The address has something after `#` that is neither a token nor a link. */
  readonly unread?: true;
  /** The address names a study without a secret, and this tab has none for it. */
  readonly asksOperator?: true;
}

/** The link of a study: the part after `#`, and the coordinator. */
export interface StudyLink {
  readonly coordinator: string;
  readonly study: string;
  /** The whole digest of the study; absent in links of earlier versions. */
  readonly digest?: string;
  readonly token: string;
  readonly coordinatorKey: string;
}

/** Props of every page. */
export interface PageProps {
  readonly here: PageAddress;
}

const names: readonly string[] = ['', 'create', 'study', 'result', 'predict', 'join', 'lab'];

/** Finds the secret that this tab remembers for a page of a study. */
export type RecallSecret = (
  page: PageName | undefined,
  link: Pick<StudyLink, 'study' | 'coordinatorKey'>,
) => string | undefined;

/** Reads an address; `recalled` gives the secret if the address has none. */
export function pageAddressOf(
  { origin, pathname, hash }: Pick<Location, 'origin' | 'pathname' | 'hash'>,
  recalled: RecallSecret,
): PageAddress {
  const cut = pathname.lastIndexOf('/');
  const name = pathname.slice(cut + 1);
  const page = names.includes(name) ? (name as PageName) : undefined;
  const coordinator = origin + pathname.slice(0, cut);
  const text = afterHash(hash);
  if (/^sfo_[A-Za-z0-9_-]{43}$/.test(text)) return { page, coordinator, operator: text };
  const [, part, given, coordinatorKey] =
    /^([0-9a-f]{16}|[0-9a-f]{64})\.(?:(sf[icoe]_[A-Za-z0-9_-]{43})\.)?([A-Za-z0-9_-]{43})$/.exec(
      text,
    ) ?? [];
  const named = part === undefined ? undefined : studyOfPart(part);
  if (named === undefined) {
    return hash.length > 1 ? { page, coordinator, unread: true } : { page, coordinator };
  }
  const token = given ?? recalled(page, { ...named, coordinatorKey });
  if (token === undefined) return { page, coordinator, asksOperator: true };
  return { page, coordinator, link: { coordinator, ...named, token, coordinatorKey } };
}

/** The part after `#`; empty if it was cut in the middle of an encoded character. */
function afterHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

/** Whether the secret is a site's, not the analyst's. */
export function isSite({ token }: Pick<StudyLink, 'token'>): boolean {
  return token.startsWith('sfi_') || token.startsWith('sfe_');
}

/** The link of a study for somebody else, with its secret. */
export function sharedLink(page: 'join' | 'study', link: StudyLink): string {
  const { coordinator, token, coordinatorKey } = link;
  return `${coordinator}/${page}#${studyPart(link)}.${token}.${coordinatorKey}`;
}

/** The address of a page of the same study without its secret, which the tab remembers. */
export function secretlessAddress(page: PageName, link: Omit<StudyLink, 'token'>): string {
  return `${link.coordinator}/${page}#${studyPart(link)}.${link.coordinatorKey}`;
}
