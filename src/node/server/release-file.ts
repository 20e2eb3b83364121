import { appendFile, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ReleaseWitness, WitnessedRelease } from '../../coordinator/release-witness.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { syncFolder } from '../files/safe-file.ts';

const SCHEMA = 'suffice/release@1';

interface ReleaseLine extends WitnessedRelease {
  readonly schema: typeof SCHEMA;
  /** Public key of the coordinator: several may share a file. */
  readonly coordinator: string;
  readonly study: string;
}

/**
 * Releases of private studies in a file of JSON lines, outside the store. The first place that can
 * be written is used; all places are read.
 */
export function releaseFile(places: readonly string[], coordinator: string): ReleaseWitness {
  const lines = async (): Promise<ReleaseLine[]> =>
    (await Promise.all(places.map(linesOf)))
      .flat()
      .filter((line) => line.coordinator === coordinator);
  return {
    studies: async () => [...new Set((await lines()).map(({ study }) => study))],
    async newest(study) {
      const own = (await lines()).filter((line) => line.study === study);
      const number = Math.max(0, ...own.map((line) => line.number));
      return own.findLast((line) => line.number === number);
    },
    async record(study, { number, contributions }) {
      const line: ReleaseLine = { schema: SCHEMA, coordinator, study, number, contributions };
      await appendAtFirst(places, JSON.stringify(line));
    },
  };
}

/** The lines of a file. A line that a crash has cut is left out: its release was never signed. */
async function linesOf(path: string): Promise<ReleaseLine[]> {
  const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') return '';
    throw unusable(failure.code);
  });
  return text.split('\n').flatMap((line) => {
    try {
      const read: ReleaseLine = JSON.parse(line);
      return read.schema === SCHEMA && Number.isSafeInteger(read.number) ? [read] : [];
    } catch {
      return [];
    }
  });
}

async function appendAtFirst([place, ...others]: readonly string[], line: string): Promise<void> {
  try {
    // A line that was cut before must not swallow this one.
    await appendFile(place, `\n${line}\n`, { mode: 0o600 });
    const handle = await open(place, 'r+');
    await handle.sync().finally(() => handle.close());
    await syncFolder(dirname(place));
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    const isForbidden = ['EACCES', 'EPERM', 'EROFS'].includes(code);
    if (others.length === 0 || !isForbidden) throw unusable(code);
    await appendAtFirst(others, line);
  }
}

/** Without its record, a private total is not signed. */
function unusable(code = ''): Refusal {
  return new Refusal(
    'store-unavailable',
    `the coordinator’s record of releases cannot be used${code === '' ? '' : ` (${code})`}`,
    'try again later; the operator must make the file writable, or choose another one',
  );
}
