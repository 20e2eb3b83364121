import { DataError } from '../../data-error.ts';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { canonicalJson } from '../../study/canonical-json.ts';
import type { OpenTable } from './engine.ts';

/** The refusal of rows that are others when they are asked for again. */
export function rowsChanged({ text }: Pick<DatabaseAddress, 'text'>): DataError {
  return new DataError(
    'the rows changed between two readings',
    { file: text },
    'read a table, or a view whose rows stay the same: one without random numbers, the time of day, or rows that arrive meanwhile; or export the rows once, and give that file',
  );
}

/**
 * The state of rows that an engine computes, a view or a select: asked for twice in one snapshot, so that random numbers are noticed
 * even where the rows are then read once. The time of a transaction stays the same in it.
 */
export async function fixedState(
  address: Pick<DatabaseAddress, 'text'>,
  stateOf: () => Promise<OpenTable['state']>,
): Promise<OpenTable['state']> {
  const [first, second] = [await stateOf(), await stateOf()];
  if (canonicalJson(first) !== canonicalJson(second)) throw rowsChanged(address);
  return first;
}
