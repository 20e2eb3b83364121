import { DataError } from '../../data-error.ts';
import { agreement } from '../../federate.ts';
import type { Source } from '../../rows/source.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import type { Study } from '../../study/study.ts';
import { keyCounts, refuseDuplicates } from '../../vertical/party.ts';
import { partyColumns, readParty } from '../../vertical/read-party.ts';
import { partyModel, type VerticalStudy, verticalStudy } from '../../vertical/vertical-study.ts';
import { nodeHost } from '../compute/host.ts';
import { refusedFile, type TriedFile, type TriedReading } from './try-file.ts';

/** Reads a file as the party does whose columns it has, and keeps only the counts. */
export async function tryParty(
  study: Study,
  path: string,
  reading: TriedReading,
  watch: Watch,
): Promise<TriedFile> {
  const split = verticalStudy(agreement(study));
  try {
    const { party, source } = await partyOf(split, path, reading);
    const bar = watch('reading', source.length);
    const read = readParty(split, partyModel(split, party), nodeHost, source, 'drop', bar.update);
    const rows = await read.finally(bar.done);
    refuseDuplicates(split, keyCounts(split, rows), source.name);
    const { block, dropped, missing } = rows;
    return { path, party, rows: block.rows, dropped, missing };
  } catch (failure) {
    return refusedFile(path, failure);
  }
}

/** The party whose columns and keys a file has. */
async function partyOf(
  split: VerticalStudy,
  path: string,
  { encoding, decimal }: TriedReading,
): Promise<{ readonly party: string; readonly source: Source }> {
  const failures: DataError[] = [];
  for (const party of split.parties) {
    try {
      const columns = partyColumns(split, party);
      return { party, source: await openSource(nodeHost, { path }, columns, encoding, decimal) };
    } catch (failure) {
      if (!(failure instanceof DataError)) throw failure;
      failures.push(failure);
    }
  }
  const [first] = failures;
  // Not about columns: each would be refused for the same reason.
  if (failures.every(({ message }) => message === first.message)) throw first;
  const needs = split.parties.map((party) => `${party} ${partyColumns(split, party).join(', ')}`);
  throw new DataError(
    `the file cannot be read as that of any party; they need: ${needs.join('; ')}`,
    { file: path },
    'name the columns as the study does',
  );
}
