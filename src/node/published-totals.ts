import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { DataError } from '../data-error.ts';
import type { Agreement } from '../federate.ts';
import { studyId } from '../protocol/link.ts';
import { Refusal } from '../protocol/refusal.ts';
import { keyedWords } from '../random/keyed-words.ts';
import type { WordSource } from '../random/words.ts';
import { digestJson } from '../study/digest.ts';
import { whileLocked } from './folder-lock.ts';
import { readIfThere, writeSafely } from './safe-file.ts';
import { openSiteHome } from './site-home.ts';

/**
 * Noise for the total of these contributions, the same each time they are combined here; refuses a total beyond those the
 * study's budget is for. Which totals were published is kept in `folder`.
 */
export async function noiseForTotal(
  { method: { noise }, digest }: Agreement,
  contributions: readonly string[],
  folder: string,
): Promise<WordSource> {
  const { secret } = await (await openSiteHome(folder)).key();
  const chosen = digestJson([...contributions].sort());
  const releases = noise?.totals;
  if (releases !== undefined) {
    const place = join(folder, 'published');
    await mkdir(place, { recursive: true, mode: 0o700 });
    await whileLocked(`${place}.lock`, () => spend(place, digest, chosen, releases));
  }
  return keyedWords(utf8ToBytes(secret), `suffice/noise@1 ${digest} ${chosen}`);
}

async function spend(
  folder: string,
  study: string,
  chosen: string,
  releases: number,
): Promise<void> {
  const path = join(folder, `${studyId(study)}.json`);
  const known = publishedIn((await readIfThere(path)) ?? '[]', path);
  if (known.includes(chosen)) return;
  if (known.length >= releases) {
    throw new Refusal(
      'not-allowed',
      `the study's privacy budget is spent: it is for ${releases === 1 ? 'one total' : `${releases} totals`}, and another set of contributions was combined before`,
      'combine the same files as before; a study with "releases" shares its budget among several totals',
    );
  }
  await writeSafely(path, `${JSON.stringify([...known, chosen])}\n`, 0o600);
}

/** What cannot be read may have been anything: it is not taken for nothing. */
function publishedIn(text: string, file: string): string[] {
  try {
    const known: unknown = JSON.parse(text);
    if (Array.isArray(known)) return known;
  } catch {
    // told below
  }
  throw new DataError(
    'what was published of the study cannot be read',
    { file },
    'restore the file from a backup; no further total is published until then',
  );
}
