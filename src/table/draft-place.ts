import type { Place } from '../failure.ts';
import type { ColumnDraft, Draft } from './draft.ts';

/** File and row of the first text; if there is no text, the file if there is only one. */
export function placeOfFirstText(draft: Draft, name: string, column: ColumnDraft): Place {
  const [first] = column.firstTexts;
  if (first === undefined) {
    const files = new Set(draft.segments.map(({ file }) => file));
    const [file] = files;
    return file !== undefined && files.size === 1 ? { file, column: name } : { column: name };
  }
  const before = draft.segments.filter(({ file, at }) => file === first.file && at < first.at);
  const row = before.reduce((sum, { rows }) => sum + rows, 0) + first.row;
  return { file: first.file, row, column: name };
}
