import type { ReleasedColumn } from '../disclosure/release.ts';
import { tagger, tagsInOrder } from '../disclosure/row-tags.ts';
import { sayings } from '../disclosure/sayings.ts';
import type { Column } from '../study/codebook.ts';
import type { Block } from '../table/columns.ts';
import type { SaidColumn } from '../table/said-column.ts';
import type { Host } from './host.ts';
import { type RowSource, readColumns } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';

/** Columns to tag rows by. */
export interface TagSet {
  readonly columns: readonly ReleasedColumn[];
  /** `cells`: what the cells say. `codes`: level codes by the columns' own entries, as releases had them before. */
  readonly form: 'cells' | 'codes';
}

/** Tags of every row of a source over several sets of columns. No study has a say in it. */
export interface TagJob extends Omit<RowSource, 'study'> {
  readonly kind: 'tag';
  readonly tagKey: Uint32Array;
  /** Whether the columns hold values or ids of persons. */
  readonly of: 'values' | 'persons';
  readonly sets: readonly TagSet[];
}

export interface TagResult {
  /** For each set: the tag of each row, in the order of the file. */
  readonly tags: readonly BigUint64Array[];
  readonly edges?: SourceRange;
}

export async function tagRows(job: TagJob, host: Host, progress: JobProgress): Promise<TagResult> {
  const { cell, person } = sayings(job.tagKey);
  const names = [...new Set(job.sets.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const says = job.of === 'persons' ? person : cell;
  const sets = job.sets.map(({ columns, form }) => ({
    tags: tagger(job.tagKey),
    readers: columns.map(({ name, column }) => {
      const at = names.indexOf(name);
      const codes = form === 'codes' ? codesOf(column, cell) : undefined;
      return ({ columns: values }: Block) =>
        codes === undefined ? values[at] : values[at].map((said) => codes.get(said) ?? Number.NaN);
    }),
  }));
  const sink = (block: Block) => {
    for (const { tags, readers } of sets) {
      const values = readers.map((read) => read(block));
      tags.add(block.rows, values);
    }
  };
  const numbersOf = (name: string): SaidColumn['numbers'] => {
    if (job.of === 'persons') return 'none';
    const entries = job.sets.flatMap(({ columns }) => columns.filter((one) => one.name === name));
    return entries.some(({ column }) => column.type === 'number') ? 'written' : 'plain';
  };
  const wanted = names.map((name) => {
    const column: SaidColumn = { type: 'said', numbers: numbersOf(name), says };
    return { name, column };
  });
  const edges = await readColumns(host, job, wanted, sink, progress);
  return { tags: sets.map(({ tags }) => tagsInOrder(tags.parts())), edges };
}

export function joinTagResults(results: readonly TagResult[]): TagResult {
  const [{ tags: sets }] = results;
  return { tags: sets.map((_, k) => tagsInOrder(results.map(({ tags }) => tags[k]))) };
}

/** The code of each level by what it says; undefined for a column that has no codes. */
function codesOf(
  column: Column,
  says: (text: string) => number,
): ReadonlyMap<number, number> | undefined {
  if (column.type !== 'category') return undefined;
  return new Map(column.levels.map((level, code) => [says(level), code]));
}
