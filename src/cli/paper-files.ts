import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeSafely } from '../node/files/safe-file.ts';
import type { PaperProgram, PaperProgramName } from '../node/run/paper-program.ts';
import { UsageError } from '../usage-error.ts';
import type { Io } from './io.ts';

/** Where the page and the JSON of a result go. */
export interface PaperFiles {
  readonly folder: string;
  readonly page: string;
  readonly json: string;
  /** Folder for what a long run has finished, until its result is written. */
  readonly parts: string;
}

export function filesOf(folder: string, paper: PaperProgramName): PaperFiles {
  const path = (ending: string) => join(folder, `${paper}${ending}`);
  return { folder, page: path('.html'), json: path('.json'), parts: path('-parts') };
}

/** Throws, before minutes of work, when the folder is not writable or a file there is no result of suffice paper. */
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

/** The folder, or the nearest folder above it that exists. */
function nearestFolder(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

/** Writes both files and gives a line that says so; Ctrl-C is ignored meanwhile. */
export async function writeResult(
  { folder, page, json }: PaperFiles,
  pageText: string,
  jsonText: string,
  io: Io,
): Promise<string> {
  const replaced = existsSync(page) || existsSync(json);
  const hearAgain = io.onSignal('SIGINT', () => {});
  try {
    await mkdir(folder, { recursive: true });
    await writeSafely(page, pageText, 0o644);
    await writeSafely(json, `${jsonText}\n`, 0o644);
  } finally {
    hearAgain();
  }
  return `${replaced ? 'replaced' : 'written'}: ${page} and ${json}`;
}
