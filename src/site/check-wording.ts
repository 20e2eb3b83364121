import type { Agreement } from '../federate.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import type { Wording } from '../rows/wording.ts';
import { listed } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';

/** Refuses a wording that the study has no place for, or that would read one of its levels as another. */
export function checkWording(
  agreed: Pick<Agreement, 'columns'>,
  wording: Wording | undefined,
): void {
  if (wording === undefined) return;
  const columns = new Map(offerableColumns(agreed).map(({ name, column }) => [name, column]));
  const named = [...(wording.columns?.keys() ?? []), ...(wording.texts?.keys() ?? [])];
  for (const name of named) if (!columns.has(name)) throw unknownColumn(name, [...columns.keys()]);
  const inFile = [...columns.keys()].map((name) => wording.columns?.get(name) ?? name);
  if (new Set(inFile).size < inFile.length) {
    throw new UsageError(
      'two columns of the study would be read from one column of the file',
      'name another column of the file for one of them',
    );
  }
  for (const [name, texts] of wording.texts ?? []) {
    const column = columns.get(name)!;
    const levels = column.type === 'category' ? column.levels : [];
    for (const [text, level] of texts) {
      if (level !== null && !levels.includes(level)) throw unknownLevel(name, levels);
      if (level !== text && levels.includes(text)) throw levelOfStudy(name);
    }
  }
}

function unknownColumn(name: string, columns: readonly string[]): UsageError {
  return new UsageError(
    `the study has no column "${visibleText(name)}"`,
    `its columns are ${listed(columns.map(visibleText))}`,
  );
}

function unknownLevel(name: string, levels: readonly string[]): UsageError {
  const shown = visibleText(name);
  return levels.length === 0
    ? new UsageError(
        `"${shown}" is a column of numbers: no text of the file can stand for one`,
        'write the number in the file, or let the text mean a missing cell',
      )
    : new UsageError(
        `a text can only stand for a level of "${shown}", or for a missing cell`,
        `its levels are ${listed(levels.map(visibleText))}`,
      );
}

function levelOfStudy(name: string): UsageError {
  return new UsageError(
    `a text that is a level of "${visibleText(name)}" in the study cannot stand for something else`,
    'correct the file where a level means another one',
  );
}
