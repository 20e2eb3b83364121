import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { DataError } from '../../data-error.ts';
import type { Agreement } from '../../federate.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { studyId } from '../../protocol/study-part.ts';
import { keyedWords } from '../../random/keyed-words.ts';
import type { WordSource } from '../../random/words.ts';
import { digestJson } from '../../study/digest.ts';
import { type WaitNotice, whileLocked } from '../files/folder-lock.ts';
import { readIfThere, writeSafely } from '../files/safe-file.ts';
import { openSiteFolder } from './site-folder.ts';

/**
 * Noise for the total of these contributions; the same every time they are combined in this folder. Refuses a total that
 * the study's budget does not cover. `folder` records which totals were published.
 */
export async function noiseForTotal(
  { method: { noise }, digest }: Agreement,
  contributions: readonly string[],
  folder: string,
  notice?: WaitNotice,
): Promise<WordSource> {
  const { secret } = await (await openSiteFolder(folder, notice)).key();
  const total = digestJson([...contributions].sort());
  const releases = noise?.totals;
  if (releases !== undefined) {
    const place = join(folder, 'published');
    await mkdir(place, { recursive: true, mode: 0o700 });
    await whileLocked(`${place}.lock`, () => spend(place, digest, total, releases), notice);
  }
  return keyedWords(utf8ToBytes(secret), `suffice/noise@1 ${digest} ${total}`);
}

async function spend(
  folder: string,
  study: string,
  total: string,
  releases: number,
): Promise<void> {
  const path = join(folder, `${studyId(study)}.json`);
  const known = publishedIn((await readIfThere(path)) ?? '[]', path);
  if (known.includes(total)) return;
  if (known.length >= releases) {
    throw new Refusal(
      'not-allowed',
      `the study's privacy budget is spent: it covers ${releases === 1 ? 'one total' : `${releases} totals`}, and another set of contributions was combined before`,
      'combine the same files as before; a study with "releases" shares its budget among several totals',
    );
  }
  await writeSafely(path, `${JSON.stringify([...known, total])}\n`, 0o600);
}

/** The published totals in a file. A file that cannot be read is not treated as empty. */
function publishedIn(text: string, file: string): string[] {
  try {
    const known: unknown = JSON.parse(text);
    if (Array.isArray(known)) return known;
  } catch {
    // the error is thrown below
  }
  throw new DataError(
    'the list of published totals cannot be read',
    { file },
    'restore the file from a backup; no further total is published until then',
  );
}
