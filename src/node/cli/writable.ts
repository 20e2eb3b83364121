import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Refuses a path that nothing can be written to, before work that would be lost. */
export function refuseUnwritable(flag: string, path: string | undefined): void {
  if (path === undefined) return;
  const folder = dirname(path);
  if (path === '' || (existsSync(path) && statSync(path).isDirectory())) {
    throw new UsageError(`${flag} needs the name of a file: ${path || '""'}`, 'name a file');
  }
  if (!existsSync(folder)) {
    throw new UsageError(`${flag}: there is no folder ${folder}`, 'make it first, or name another');
  }
}
