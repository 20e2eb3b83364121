import { DataError } from '../../data-error.ts';
import { nearNames } from '../../study/near-names.ts';

const MOST_NAMES = 20;

/** The refusal of a table that is not there, with the nearest names or some of those that are. */
export function noSuchTable(
  wanted: readonly string[],
  there: readonly string[],
  address: string,
): DataError {
  const near = nearNames(wanted.join('.'), there);
  const last = nearNames(
    wanted.at(-1)!,
    there.map((name) => name.split('.').at(-1)!),
  );
  const meant = near.length > 0 ? near : last;
  const listed = there.slice(0, MOST_NAMES).join(', ');
  const some = there.length > MOST_NAMES ? `${listed} and others` : listed;
  return new DataError(
    `no such table: ${wanted.join('.')}`,
    { file: address },
    meant.length > 0
      ? `perhaps ${meant.join(' or ')}; names are spelt as the database stores them`
      : there.length > 0
        ? `this role can see ${some}`
        : 'this role sees no table: ask the administrator for permission to read it',
  );
}
