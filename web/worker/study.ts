import type { StudyLink } from '../tab/page-address.ts';
import { linkClient } from './client.ts';
import { fetchStudies, type ListedStudy } from './listed-studies.ts';
import { type StudyUpdate, watchedStudy } from './watched-study.ts';
import type { Call } from './worker-messages.ts';

/** All studies of a coordinator, for its operator. */
export function requestStudyList(
  _: Call,
  coordinator: string,
  operator: string,
): Promise<ListedStudy[]> {
  return fetchStudies(coordinator, operator);
}

/** Sends updates about a study until the call is cancelled. */
export function followStudy(call: Call<StudyUpdate>, link: StudyLink): Promise<void> {
  return watchedStudy(call, link);
}

export async function openDraft(_: Call, link: StudyLink): Promise<void> {
  await linkClient(link).open();
}

export async function requestClose(_: Call, link: StudyLink): Promise<void> {
  await linkClient(link).close();
}

/** Asks the sites of a refused total to open what they sent. */
export async function requestOpening(_: Call, link: StudyLink): Promise<void> {
  await linkClient(link).askOpening();
}

/** Collects again: until the deadline, or without one. */
export async function requestReopening(_: Call, link: StudyLink, deadline?: string): Promise<void> {
  await linkClient(link).reopen(deadline);
}

export async function requestExtension(_: Call, link: StudyLink, deadline: string): Promise<void> {
  await linkClient(link).extend(deadline);
}

/** Resolves the study from its present contributions; returns the number of the resolution. */
export async function requestResolution(
  _: Call,
  link: StudyLink,
  late: 'with-late' | 'without-late',
): Promise<number> {
  const { number } = await linkClient(link).resolve({ includeLate: late === 'with-late' });
  return number;
}

/** A new token for a site, with the digest that its link binds; the site's earlier tokens stop working. */
export async function requestInvitation(
  _: Call,
  link: StudyLink,
  site: string,
  choices: { readonly expires?: string; readonly forgetKey?: boolean },
): Promise<Required<Pick<StudyLink, 'token' | 'digest'>>> {
  const client = linkClient(link);
  const { token } = await client.invite(site, choices);
  return { token, digest: link.digest ?? (await client.view()).digest };
}

export async function requestRevocation(_: Call, link: StudyLink, site: string): Promise<void> {
  await linkClient(link).revoke(site);
}

/** A new token for the analyst; the present one stops working. */
export async function requestAdminRenewal(_: Call, link: StudyLink): Promise<string> {
  const { token } = await linkClient(link).renewAdmin();
  return token;
}

/** Erases the contributions of a site, on behalf of the analyst. */
export async function eraseSite(_: Call, link: StudyLink, site: string): Promise<void> {
  await linkClient(link).withdraw({ site });
}

/** One resolution of a study, in short. */
export interface ResolutionRow {
  readonly number: number;
  readonly resolvedAt: string;
  readonly sites: number;
  readonly digest: string;
  /** Number of rows, for the newest resolutions. */
  readonly rows?: number;
}

/** Number of resolutions whose rows are looked up. */
const LOOKED_UP = 10;

/** The resolutions of a study, newest first. */
export async function fetchResolutions(_: Call, link: StudyLink): Promise<ResolutionRow[]> {
  const client = linkClient(link);
  const lines = [...(await client.resolutions())].reverse();
  const found = await Promise.all(
    lines.slice(0, LOOKED_UP).map(({ number }) => client.resolution(number)),
  );
  const rows = new Map(found.map(({ number, report }) => [number, report.n]));
  return lines.map((line) => ({ ...line, rows: rows.get(line.number) }));
}

/** The sealed log as JSON, for a file. */
export async function signedLog(_: Call, link: StudyLink): Promise<string> {
  return `${JSON.stringify(await linkClient(link).auditLog(), null, 2)}\n`;
}
