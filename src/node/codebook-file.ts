import { readFileSync } from 'node:fs';
import type { Codebook } from '../study/codebook.ts';
import { UsageError } from './usage-error.ts';

/** The codebook that a file holds. */
export async function readCodebook(path: string): Promise<Codebook> {
  const { parseCodebook } = await import('../study/schema.ts'); // zod takes a tenth of a second to load
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof SyntaxError) {
      throw new UsageError(`${path} is not JSON`, 'save the codebook of a fit to see its form', {
        name: 'codebook',
      });
    }
    throw failure;
  }
  return parseCodebook(json);
}
