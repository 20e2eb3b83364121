import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../shared/data', import.meta.url));

/** Whether the public data sets lie beside the repository; says so where they do not. */
export const hasSharedData: boolean = existsSync(root);
if (!hasSharedData) console.warn(`skipped: no public data sets in ${root}`);

export function sharedPath(...parts: readonly string[]): string {
  return join(root, ...parts);
}

export function sharedJson<T>(...parts: readonly string[]): T {
  return JSON.parse(readFileSync(sharedPath(...parts), 'utf8'));
}

/** The header and the rows of a small file without quotes. */
export function sharedLines(...parts: readonly string[]): { header: string; lines: string[] } {
  const [header, ...lines] = readFileSync(sharedPath(...parts), 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  return { header, lines };
}
