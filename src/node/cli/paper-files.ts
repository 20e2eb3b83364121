import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { PaperName, PaperProgram } from '../paper-program.ts';
import { writeSafely } from '../safe-file.ts';
import { UsageError } from '../usage-error.ts';

/** Where the page and the JSON of a result go. */
export interface PaperFiles {
  readonly folder: string;
  readonly page: string;
  readonly json: string;
}

export function filesOf(folder: string, paper: PaperName): PaperFiles {
  return { folder, page: join(folder, `${paper}.html`), json: join(folder, `${paper}.json`) };
}

/** Refuses, before minutes of work, a folder that cannot be written to and files that are someone else's. */
export function refuseForeignFiles(
  { folder, page, json }: PaperFiles,
  program: PaperProgram,
): void {
  const remedy = 'name another folder with --out';
  if (folder === '') throw new UsageError('--out needs the name of a folder: ""', remedy);
  const there = nearestFolder(folder);
  if (!statSync(there).isDirectory()) throw new UsageError(`${there} is a file`, remedy);
  try {
    accessSync(there, constants.W_OK);
  } catch {
    throw new UsageError(`nothing can be written to ${there}`, remedy);
  }
  for (const file of [page, json]) {
    if (!existsSync(file)) continue;
    if (statSync(file).isFile() && program.isResult(readFileSync(file, 'utf8'))) continue;
    throw new UsageError(`${file} is there already, and no result of suffice paper`, remedy);
  }
}

/** The folder itself, or the nearest above it that there is. */
function nearestFolder(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

const ignored = () => {};

/** Writes both files whole, and says so; Ctrl-C is not heard for the moment it takes. */
export async function writeResult(
  { folder, page, json }: PaperFiles,
  pageText: string,
  jsonText: string,
): Promise<string> {
  const replaced = existsSync(page) || existsSync(json);
  process.on('SIGINT', ignored);
  try {
    await mkdir(folder, { recursive: true });
    await writeSafely(page, pageText, 0o644);
    await writeSafely(json, `${jsonText}\n`, 0o644);
  } finally {
    process.off('SIGINT', ignored);
  }
  return `${replaced ? 'replaced' : 'written'}: ${page} and ${json}`;
}
