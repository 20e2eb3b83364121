import { readFile } from 'node:fs/promises';
import { agreement } from '../federate.ts';
import type { Study } from '../study/study.ts';
import { UsageError } from './usage-error.ts';

/** A study from a JSON file, checked as far as anyone can without rows: its keys, its formula, its ranges. */
export async function readStudy(path: string): Promise<Study> {
  const text = await readFile(path, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON`, 'docs/protocol.md shows what a study looks like');
  }
  const { parseStudy } = await import('../fusion/study-schema.ts'); // zod takes a tenth of a second to load
  const study = parseStudy(json);
  agreement(study);
  return study;
}
