import { type Column, defaultMissing } from '../study/codebook.ts';
import type { ColumnToRead } from '../table/columns.ts';

/**
 * Words of a file that differ from the study's. They change how this file is read at its site, never what the study
 * says, and they are not sent.
 */
export interface Wording {
  /** The file's names of columns, by the study's names. */
  readonly columns?: ReadonlyMap<string, string>;
  /** For a column of the study: the level that a text of the file stands for; null for a missing cell. */
  readonly texts?: ReadonlyMap<string, ReadonlyMap<string, string | null>>;
  /** Texts that mean missing in every column. */
  readonly missing?: readonly string[];
}

/** Both wordings; the second decides where they differ. */
export function joinWordings(
  first: Wording | undefined,
  second: Wording | undefined,
): Wording | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  return {
    columns: new Map([...(first.columns ?? []), ...(second.columns ?? [])]),
    texts: new Map([...(first.texts ?? []), ...(second.texts ?? [])]),
    missing: [...(first.missing ?? []), ...(second.missing ?? [])],
  };
}

/** A file, or how it is worded. */
interface Worded {
  readonly wording?: Wording;
}

/** Whether any word of a file differs from the study's. */
export function isWorded({ wording }: Worded): boolean {
  const { columns, texts, missing } = wording ?? {};
  return (columns?.size ?? 0) + (texts?.size ?? 0) + (missing?.length ?? 0) > 0;
}

/** The file's name of a column of the study. */
export function nameInFile({ wording }: Worded, name: string): string {
  return wording?.columns?.get(name) ?? name;
}

/** Whether the file has a column of the study, under its own name. */
export function hasColumn(
  source: Worded & { readonly header: readonly string[] },
  name: string,
): boolean {
  return source.header.includes(nameInFile(source, name));
}

/** A column of the study as this file words its cells. */
export function wordedColumn<C extends ColumnToRead>({ wording }: Worded, wanted: C): C {
  const { name, column } = wanted;
  if (wording === undefined || column.type === 'said') return wanted;
  const texts = [...(wording.texts?.get(name) ?? [])];
  const missing = [
    ...(wording.missing ?? []),
    ...texts.flatMap(([text, level]) => (level === null ? [text] : [])),
  ];
  const spellings = new Map(
    texts.flatMap(([text, level]) => (level === null ? [] : [[text, level] as const])),
  );
  return {
    ...wanted,
    column: withMarkers(column, missing),
    ...(spellings.size === 0 ? {} : { spellings }),
  };
}

/** The column with further missing markers. A level stays a level. */
function withMarkers(column: Column, markers: readonly string[]): Column {
  if (markers.length === 0) return column;
  const levels: readonly string[] = column.type === 'category' ? column.levels : [];
  const before = column.missing ?? defaultMissing;
  const missing = [...new Set([...before, ...markers])].filter((text) => !levels.includes(text));
  return { ...column, missing };
}
