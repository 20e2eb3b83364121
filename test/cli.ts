import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Report } from '../src/model/report.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** What a command left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `suffice` with these arguments; `npm test` builds it first. */
export function suffice(...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return { code: status, stdout, stderr };
}

/** The report of `suffice fit … --json`; fails with what the command said where there is none. */
export function fitReport(
  formula: string,
  files: readonly string[],
  ...flags: readonly string[]
): Report {
  const { code, stdout, stderr } = suffice('fit', formula, ...files, '--json', ...flags);
  if (code !== 0) throw new Error(`exit ${code}: ${formula}\n${stderr}`);
  return JSON.parse(stdout);
}

/** A folder that is gone after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes lines round-robin over `sites` files under one header; gives their paths. */
export function writeSites(
  folder: string,
  name: string,
  header: string,
  lines: readonly string[],
  sites: number,
): string[] {
  return Array.from({ length: sites }, (_, site) => {
    const path = join(folder, `${name}-${site + 1}.csv`);
    const own = lines.filter((_, k) => k % sites === site);
    writeFileSync(path, `${[header, ...own].join('\n')}\n`);
    return path;
  });
}
