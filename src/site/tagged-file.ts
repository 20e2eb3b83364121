import { DataError } from '../data-error.ts';
import { type PastRelease, type ReleasedColumn, tagFormOf } from '../disclosure/release.ts';
import {
  type RowTags,
  sortedTags,
  symmetricDifference,
  tagger,
  tagsInOrder,
} from '../disclosure/row-tags.ts';
import { sayings } from '../disclosure/sayings.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import type { Inspection } from '../rows/inspection.ts';
import type { Pool } from '../rows/pool.ts';
import type { Source } from '../rows/source.ts';
import { joinTagResults, type TagJob, type TagSet } from '../rows/tag-job.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import type { Watch } from '../rows/watch.ts';
import { hasColumn, nameInFile } from '../rows/wording.ts';

/** The rows of a file as the ledger compares them. */
export interface TaggedFile {
  /** Tags of the used rows over the study's own columns. */
  readonly own: RowTags;
  /** For each row of the file: 1 where the statistic has it, else 0. */
  readonly used: Uint8Array;
  /** Tags of all rows, in the order of the file, over the columns of each earlier release, by its digest. */
  readonly tags: ReadonlyMap<string, BigUint64Array>;
  /** Tags of the used rows over the other columns of earlier releases: each set once, by the digest of its first release. */
  readonly over: Readonly<Record<string, RowTags>>;
  /** The id column of the study, if every used row has an id. */
  readonly person?: string;
  /** Tags of the persons in the used rows, by the id column: that of the study, and those of earlier releases. */
  readonly people: ReadonlyMap<string, RowTags>;
}

/** A set of columns, by its key. */
type KeyedSet = readonly [string, TagSet];
type TagsByKey = Map<string, BigUint64Array | undefined>;

/**
 * Tags the rows of a file over the columns of the study and of each earlier release, if the file has them. It reads the file
 * only for tags that the reduction has not made.
 */
export async function taggedFile(
  agreed: Agreement,
  source: Source,
  { used, tags: known }: Pick<Inspection, 'used' | 'tags'>,
  past: readonly PastRelease[],
  tagKey: Uint32Array,
  pool: Pool,
  watch: Watch,
): Promise<TaggedFile> {
  const own: TagSet = { columns: taggedColumns(agreed), form: 'cells' };
  const read = (of: TagJob['of'], wanted: readonly TagSet[], from = source) =>
    tagsOver({ kind: 'tag', source: from, tagKey, of, sets: wanted }, pool, watch);
  const addTags = async (byKey: TagsByKey, wanted: readonly TagSet[], from: Source) => {
    const sets = new Map(wanted.map((set) => [keyOf(set), set]));
    const unknown = [...sets].filter(([key]) => byKey.get(key) === undefined);
    for (const group of alikeRead(unknown, from)) {
      const tags = await read(
        'values',
        group.map(([, set]) => set),
        from,
      );
      for (const [k, [key]] of group.entries()) byKey.set(key, once(tags[k], byKey.values()));
    }
  };
  const readable = (from: Source) =>
    past.map(setOf).filter((set) => isIn(from, set) && isDistinct(set, tagKey));
  const byKey: TagsByKey = new Map();
  // Only earlier releases need the tags of the reduction in one piece.
  if (known !== undefined && past.length > 0) byKey.set(keyOf(own), tagsInOrder(known));
  const unread = known === undefined ? [own] : [];
  await addTags(byKey, [...unread, ...readable(source)], source);
  // An earlier release may have read the file's own column of a name that this one reads from another.
  const plain = { ...source, wording: {} };
  const isWorded = ({ columns }: TagSet) =>
    columns.some(({ name }) => nameInFile(source, name) !== name);
  const unworded: TagsByKey = new Map();
  await addTags(unworded, readable(plain).filter(isWorded), plain);
  const tagsOf = (release: PastRelease) => {
    const key = keyOf(setOf(release));
    return closer(byKey.get(key), unworded.get(key), release, used);
  };
  const tags = new Map(
    past.flatMap((release) => {
      const found = tagsOf(release);
      return found === undefined ? [] : [[release.digest, found] as const];
    }),
  );
  const ids = idColumns(agreed, source, past);
  const idTags = ids.length === 0 ? [] : await read('persons', ids.map(personSet));
  const people = new Map<string, RowTags>();
  ids.forEach((name, k) => {
    const persons = personTags(idTags[k], used, tagKey);
    if (persons !== undefined) people.set(name, persons);
  });
  const person = ids.find((name) => people.has(name) && isId(agreed, name));
  const ownTags = byKey.get(keyOf(own));
  const ownParts = known ?? (ownTags && [ownTags]);
  if (ownParts?.reduce((rows, part) => rows + part.length, 0) !== used.length) {
    throw new DataError(
      'the file changed while it was read',
      { file: source.name },
      'start again when the file is complete',
    );
  }
  return {
    own: sortedTags(ownParts, used),
    over: overFirst(tags, ownTags, used),
    used,
    tags,
    ...(person === undefined ? {} : { person }),
    people,
  };
}

/** The number of persons in the used rows; undefined if the study has no id for each. */
export function personsIn({
  person,
  people,
}: Pick<TaggedFile, 'person' | 'people'>): number | undefined {
  return people.get(person ?? '')?.length;
}

/** Tags of the used rows over each other set of columns, by the digest of the first release that had it. */
function overFirst(
  past: ReadonlyMap<string, BigUint64Array>,
  own: BigUint64Array | undefined,
  used: Uint8Array,
): Readonly<Record<string, RowTags>> {
  const seen = new Set([own]);
  const over: Record<string, RowTags> = {};
  for (const [digest, tags] of past) {
    if (!seen.has(tags)) over[digest] = sortedTags([tags], used);
    seen.add(tags);
  }
  return over;
}

/** Of two readings of the file, the one that has more rows of the release. */
function closer(
  a: BigUint64Array | undefined,
  b: BigUint64Array | undefined,
  { tags = new BigUint64Array() }: PastRelease,
  used: Uint8Array,
): BigUint64Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [inA, inB] = [a, b].map((all) => symmetricDifference(sortedTags([all], used), tags).common);
  return inB > inA ? b : a;
}

function isIn(source: Source, { columns }: TagSet): boolean {
  return columns.length > 0 && columns.every(({ name }) => hasColumn(source, name));
}

/** The columns of a release, and how its tags were made. */
function setOf(release: PastRelease): TagSet {
  return { columns: release.columns, form: tagFormOf(release) };
}

/** Sets of the same key give the same tags: of the codebook, only whether a column has numbers changes what cells say. */
function keyOf({ columns, form }: TagSet): string {
  const said = columns.map(({ name, column }) => [name, column.type === 'number']);
  return JSON.stringify([form, form === 'cells' ? said : columns]);
}

/** Groups of sets that one reading serves: it reads a column either for its numbers or for its texts. */
function alikeRead(sets: readonly KeyedSet[], source: Source): KeyedSet[][] {
  const groups: { readonly forNumbers: Map<string, boolean>; readonly sets: KeyedSet[] }[] = [];
  for (const one of sets) {
    const columns = one[1].columns.map(
      ({ name, column }) => [nameInFile(source, name), column.type === 'number'] as const,
    );
    let group = groups.find(({ forNumbers }) =>
      columns.every(([name, isNumber]) => (forNumbers.get(name) ?? isNumber) === isNumber),
    );
    if (group === undefined) {
      group = { forNumbers: new Map(), sets: [] };
      groups.push(group);
    }
    for (const [name, isNumber] of columns) group.forNumbers.set(name, isNumber);
    group.sets.push(one);
  }
  return groups.map((group) => group.sets);
}

/** The tags, or equal ones among those that are known: releases of equal tags are compared with each other. */
function once(
  tags: BigUint64Array | undefined,
  known: Iterable<BigUint64Array | undefined>,
): BigUint64Array | undefined {
  const isEqual = (other: BigUint64Array | undefined) =>
    other?.length === tags?.length && other?.every((tag, r) => tag === tags?.[r]);
  return [...known].find(isEqual) ?? tags;
}

/** Whether codes follow from what cells say: no two levels of a column say the same. */
function isDistinct({ columns, form }: TagSet, tagKey: Uint32Array): boolean {
  if (form === 'cells') return true;
  const { cell } = sayings(tagKey);
  return columns.every(
    ({ column: { levels = [] } }) => new Set(levels.map(cell)).size === levels.length,
  );
}

/** Tags over each set; undefined for a set whose columns cannot be read. */
async function tagsOver(
  job: TagJob,
  pool: Pool,
  watch: Watch,
): Promise<readonly (BigUint64Array | undefined)[]> {
  const bar = watch('comparing with earlier releases', job.source.length);
  try {
    const [{ tags }] = await pool.run([job], joinTagResults, bar.update);
    return tags;
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
  } finally {
    bar.done();
  }
  if (job.sets.length === 1) return [undefined];
  const each: (BigUint64Array | undefined)[] = [];
  for (const set of job.sets) each.push(...(await tagsOver({ ...job, sets: [set] }, pool, watch)));
  return each;
}

/** Id columns of the file: the study's first, then those of earlier releases. */
function idColumns(agreed: Agreement, source: Source, past: readonly PastRelease[]): string[] {
  const needed = agreed.columns.filter(({ column }) => column.type === 'id');
  const listed = Object.keys(codebookIn(agreed)).filter((name) => isId(agreed, name));
  const earlier = past.flatMap(({ person }) => person ?? []);
  const names = [...needed.map(({ name }) => name), ...listed.sort(), ...earlier];
  return [...new Set(names)].filter((name) => hasColumn(source, name));
}

function isId(agreed: Agreement, name: string): boolean {
  return codebookIn(agreed)[name]?.type === 'id';
}

function personSet(name: string): TagSet {
  const column: ReleasedColumn = { name, column: { type: 'id' } };
  return { columns: [column], form: 'cells' };
}

/** A tag of each person in the used rows, once; undefined if a used row has no id. */
function personTags(
  tags: BigUint64Array | undefined,
  used: Uint8Array,
  tagKey: Uint32Array,
): RowTags | undefined {
  if (tags === undefined) return undefined;
  const empty = tagger(tagKey);
  empty.add(1, [[Number.NaN]]);
  const [none] = empty.finish();
  const persons = new Set(sortedTags([tags], used));
  return persons.has(none) ? undefined : BigUint64Array.from(persons).sort();
}
