import type { StudyLink } from '../app/here.ts';
import { clientOf } from './client.ts';
import type { Call } from './conversation.ts';
import { fetchStudies, type ListedStudy } from './listed-studies.ts';
import { type StudyNews, watchedStudy } from './watched-study.ts';

/** All studies of a coordinator, for its operator. */
export function listStudies(
  _: Call,
  coordinator: string,
  operator: string,
): Promise<ListedStudy[]> {
  return fetchStudies(coordinator, operator);
}

/** Tells of a study until it is cancelled. */
export function watchStudy(call: Call<StudyNews>, link: StudyLink): Promise<void> {
  return watchedStudy(call, link);
}

export async function openDraft(_: Call, link: StudyLink): Promise<void> {
  await clientOf(link).open();
}

export async function closeStudy(_: Call, link: StudyLink): Promise<void> {
  await clientOf(link).close();
}

/** Collects again: until a time, or without end. */
export async function reopenStudy(_: Call, link: StudyLink, deadline?: string): Promise<void> {
  await clientOf(link).reopen(deadline);
}

export async function extendStudy(_: Call, link: StudyLink, deadline: string): Promise<void> {
  await clientOf(link).extend(deadline);
}

/** Resolves what counts now; gives the number of the resolution. */
export async function resolveStudy(
  _: Call,
  link: StudyLink,
  late: 'with-late' | 'without-late',
): Promise<number> {
  const { number } = await clientOf(link).resolve({ includeLate: late === 'with-late' });
  return number;
}

/** A new secret for a site; its earlier ones stop working. */
export async function inviteSite(
  _: Call,
  link: StudyLink,
  site: string,
  choices: { readonly expires?: string; readonly forgetKey?: boolean },
): Promise<string> {
  const { token } = await clientOf(link).invite(site, choices);
  return token;
}

export async function revokeSite(_: Call, link: StudyLink, site: string): Promise<void> {
  await clientOf(link).revoke(site);
}

/** Erases what a site has sent, on behalf of who runs the study. */
export async function eraseSite(_: Call, link: StudyLink, site: string): Promise<void> {
  await clientOf(link).withdraw({ site });
}

/** One resolution of a study, in short. */
export interface ResolutionRow {
  readonly number: number;
  readonly resolvedAt: string;
  readonly sites: number;
  readonly digest: string;
  /** Rows, where the report tells them; of the newest few. */
  readonly rows?: number;
}

/** Resolutions of which the rows are looked up. */
const LOOKED_UP = 10;

/** The resolutions of a study, newest first; those of which more is told are checked. */
export async function listResolutions(_: Call, link: StudyLink): Promise<ResolutionRow[]> {
  const client = clientOf(link);
  const lines = [...(await client.resolutions())].reverse();
  const found = await Promise.all(
    lines.slice(0, LOOKED_UP).map(({ number }) => client.resolution(number)),
  );
  const rows = new Map(found.map(({ number, report }) => [number, report.n]));
  return lines.map((line) => ({ ...line, rows: rows.get(line.number) }));
}

/** The log under the coordinator's seal, as JSON to be kept. */
export async function signedLog(_: Call, link: StudyLink): Promise<string> {
  return `${JSON.stringify(await clientOf(link).auditLog(), null, 2)}\n`;
}
