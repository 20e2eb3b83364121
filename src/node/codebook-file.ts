import { readFileSync } from 'node:fs';
import type { Codebook } from '../study/codebook.ts';
import { UsageError } from './cli/failure.ts';

/** The codebook that a file holds. */
export async function readCodebook(path: string): Promise<Codebook> {
  const { parseCodebook } = await import('../study/schema.ts'); // zod takes a tenth of a second to load
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof SyntaxError) {
      throw new UsageError(
        `${path} is not JSON`,
        'save a codebook with --save-codebook to see its form',
      );
    }
    throw failure;
  }
  return parseCodebook(json);
}
