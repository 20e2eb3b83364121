import { DataError } from '../data-error.ts';
import { isDatabaseAddress } from './database-address.ts';
import type { Source, SourceReader } from './source.ts';

/** Databases, where the platform has no reader of them: a browser tab. They are refused by name. */
export const elsewhereSource: SourceReader = {
  kind: 'database',
  matches: ({ address }) => isDatabaseAddress(address.path),
  version: async () => refuse(),
  open: async (): Promise<Source> => refuse(),
  cut: () => [],
  scan: async () => refuse(),
  read: async () => refuse(),
};

function refuse(): never {
  throw new DataError(
    'a browser cannot read a database',
    {},
    'run the command suffice beside the database, or export the table as CSV and give that file',
  );
}
