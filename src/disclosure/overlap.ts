import { type RowTags, symmetricDifference } from './row-tags.ts';

/**
 * What two releases have in common: no row; some; at least half of the smaller one; `like` for no row, but a table like
 * the other's, so perhaps the same people exported again; `unknown` if they cannot be compared.
 */
export type Overlap = 'apart' | 'partly' | 'mostly' | 'like' | 'unknown';

/** An earlier release, as far as its rows are compared. */
export interface ComparedPast {
  readonly digest: string;
  readonly study: string;
  readonly site: string;
  readonly rows: number;
  readonly fileRows?: number;
  readonly tags?: RowTags;
  readonly person?: string;
  readonly people?: RowTags;
  readonly charge?: { readonly unit?: 'row' | 'person' };
}

/** The present release, as far as its rows are compared. */
export interface ComparedPresent {
  readonly study: string;
  readonly site: string;
  readonly mode: 'add' | 'replace';
  readonly tags: ReadonlyMap<string, RowTags>;
  readonly people?: ReadonlyMap<string, RowTags>;
  readonly file?: { readonly used: Uint8Array };
  readonly charge?: { readonly unit?: 'row' | 'person' };
}

/** Two releases have mostly the same rows if they share at least this part of the smaller one. */
const MOSTLY = 0.5;
/** Two tables are like each other if the smaller one has at least this part of the rows of the other. */
const LIKE = 0.75;

/** What the present release has in common with an earlier one: by the ids of persons where both have them, and by rows. */
export function overlapOf(now: ComparedPresent, past: ComparedPast): Overlap {
  const people = peopleOf(now, past);
  const byPeople = people && shared(people[0], people[1]);
  const own = now.tags.get(past.digest);
  if (own === undefined || past.tags === undefined) return byPeople ?? 'unknown';
  const byRows = shared(own, past.tags);
  if (byRows === 'mostly' || byPeople === 'mostly') return 'mostly';
  if (byRows === 'partly' || byPeople === 'partly') return 'partly';
  if (byPeople !== undefined) return byPeople;
  // Without ids, other rows may belong to the same people.
  if (now.charge?.unit === 'person' || past.charge?.unit === 'person') return 'partly';
  return past.charge !== undefined && isLike(now, past, own.length) ? 'like' : 'apart';
}

/** Tags of the persons in both releases, if both know them by the same column. */
export function peopleOf(
  now: ComparedPresent,
  { person = '', people }: ComparedPast,
): readonly [RowTags, RowTags] | undefined {
  const own = now.people?.get(person);
  return own && people && [own, people];
}

function shared(a: RowTags, b: RowTags): 'apart' | 'partly' | 'mostly' {
  const { common } = symmetricDifference(a, b);
  if (common === 0) return 'apart';
  return common >= MOSTLY * Math.min(a.length, b.length) ? 'mostly' : 'partly';
}

/** Whether the file has about as many rows as the earlier one had; it has the same columns if the rows could be compared. */
function isLike(now: ComparedPresent, past: ComparedPast, used: number): boolean {
  // A person who adds rows to a study says that they are further rows.
  if (now.mode === 'add' && now.study === past.study && now.site === past.site) return false;
  const rows = now.file?.used.length;
  if (rows === undefined) return false;
  const { fileRows } = past;
  if (fileRows === undefined) return past.rows >= LIKE * used && LIKE * past.rows <= rows;
  return Math.min(rows, fileRows) >= LIKE * Math.max(rows, fileRows);
}
