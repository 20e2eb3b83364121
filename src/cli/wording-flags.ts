import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Agreement } from '../federate.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import type { Wording } from '../rows/wording.ts';
import { listed } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { repeatedFlag } from './flags.ts';

/** Flags for a file that words something otherwise than the study. */
export interface WordingFlags {
  readonly missingMarker: readonly string[];
  readonly readAs: readonly string[];
  readonly column: readonly string[];
}

/** Adds the flags for a file that words something otherwise than the study. */
export function withWording(command: Command): Command {
  return command
    .option(
      '--missing-marker <text>',
      'one more text that means missing in this file (repeatable)',
      repeatedFlag,
      [],
    )
    .option(
      '--column <study=file>',
      "the file's name of a column, such as age=Alter (repeatable)",
      repeatedFlag,
      [],
    )
    .option(
      '--read-as <column:text=level>',
      "the study's level that a text stands for, such as sex:Male=male; nothing after = for missing (repeatable)",
      repeatedFlag,
      [],
    );
}

/** How the flags say that the file is worded; undefined if it is worded as the study is. */
export function wordingOf(
  agreed: Pick<Agreement, 'columns'>,
  flags: WordingFlags,
): Wording | undefined {
  const { missingMarker, column, readAs } = flags;
  if (missingMarker.length + column.length + readAs.length === 0) return undefined;
  const names = offerableColumns(agreed).map(({ name }) => name);
  const texts = new Map<string, Map<string, string | null>>();
  for (const flag of readAs) {
    const { name, rest } = afterName(flag, ':', names, '--read-as', 'sex:Male=male');
    const at = rest.lastIndexOf('=');
    if (at <= 0) throw wrongFlag('--read-as', 'sex:Male=male', names);
    const own = texts.get(name) ?? new Map();
    texts.set(name, own.set(rest.slice(0, at), rest.slice(at + 1) || null));
  }
  const columns = new Map(
    column.map((flag) => {
      const { name, rest } = afterName(flag, '=', names, '--column', 'age=Alter');
      return [name, rest] as const;
    }),
  );
  return defined({
    columns: columns.size === 0 ? undefined : columns,
    texts: texts.size === 0 ? undefined : texts,
    missing: missingMarker.length === 0 ? undefined : missingMarker,
  });
}

/** The column of the study that a flag starts with, the longest name first, and what comes after it. */
function afterName(
  flag: string,
  mark: ':' | '=',
  names: readonly string[],
  option: string,
  example: string,
): { readonly name: string; readonly rest: string } {
  const name = names
    .filter((one) => flag.startsWith(`${one}${mark}`))
    .sort((a, b) => b.length - a.length)[0];
  if (name === undefined || flag.length === name.length + 1)
    throw wrongFlag(option, example, names);
  return { name, rest: flag.slice(name.length + 1) };
}

/** The flag itself may hold cells of the file, so the message does not repeat it. */
function wrongFlag(option: string, example: string, names: readonly string[]): UsageError {
  return new UsageError(
    `${option} does not start with a column of the study, or is not complete`,
    `write it like ${option} '${example}'; the study's columns are ${listed(names.map(visibleText))}`,
  );
}
