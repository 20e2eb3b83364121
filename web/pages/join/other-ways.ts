import type { OptionName, OptionOf } from '../../../src/option.ts';

/** The reading options that this page can change after a failure. */
interface Reading {
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
}

/** Another way to read the same file, with the text of its button. */
export interface OtherWay {
  readonly text: string;
  readonly change: Partial<Reading>;
}

type Ways = {
  readonly [Name in OptionName]?: (
    option: OptionOf<Name>,
    options: Reading,
  ) => OtherWay | undefined;
};

/** The options that this page offers as buttons after a failure; the remedy text covers all others. */
export const otherWays: Ways = {
  encoding: ({ value = 'latin1' }, { encoding = 'utf-8' }) =>
    encoding === 'utf-8' ? readAs(value) : undefined,
  decimal: ({ value }) =>
    value === undefined
      ? undefined
      : {
          text: `Read again with a decimal ${value === ',' ? 'comma' : 'point'}`,
          change: { decimal: value },
        },
  missing: (_, { missing }) =>
    missing === 'refuse'
      ? { text: 'Read again and leave such rows out', change: { missing: 'drop' } }
      : undefined,
};

const names: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  latin1: 'Western European (latin1)',
};

/** Reads the file with another encoding. */
export function readAs(encoding: string): OtherWay {
  return {
    text: `The encoding is the likely cause: read again as ${names[encoding] ?? encoding}`,
    change: { encoding },
  };
}

/** The button for an option; undefined if this page has none. */
export function otherWay<Name extends OptionName>(
  option: OptionOf<Name> | undefined,
  options: Reading,
): OtherWay | undefined {
  return option === undefined ? undefined : otherWays[option.name]?.(option, options);
}
