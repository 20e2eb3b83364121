import type { OptionName, OptionOf } from '../../../src/option.ts';

/** How a file is read, as far as this page offers another way. */
interface Reading {
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
}

/** A way to read the same file again, and what its button says. */
export interface OtherWay {
  readonly says: string;
  readonly change: Partial<Reading>;
}

type Ways = {
  readonly [Name in OptionName]?: (option: OptionOf<Name>, wishes: Reading) => OtherWay | undefined;
};

/** The choices that this page offers behind a file that could not be used; of others the remedy tells. */
export const otherWays: Ways = {
  encoding: ({ value = 'latin1' }, { encoding = 'utf-8' }) =>
    encoding === 'utf-8' ? readAs(value) : undefined,
  decimal: ({ value }) =>
    value === undefined
      ? undefined
      : {
          says: `Read again with a decimal ${value === ',' ? 'comma' : 'point'}`,
          change: { decimal: value },
        },
  missing: (_, { missing }) =>
    missing === 'refuse'
      ? { says: 'Read again and leave such rows out', change: { missing: 'drop' } }
      : undefined,
};

const names: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  latin1: 'Western European (latin1)',
};

/** Reads the file in another encoding. */
export function readAs(encoding: string): OtherWay {
  return {
    says: `The encoding is the likely cause: read again as ${names[encoding] ?? encoding}`,
    change: { encoding },
  };
}

/** How this page offers a choice; undefined where it does not. */
export function otherWay<Name extends OptionName>(
  option: OptionOf<Name> | undefined,
  wishes: Reading,
): OtherWay | undefined {
  return option === undefined ? undefined : otherWays[option.name]?.(option, wishes);
}
