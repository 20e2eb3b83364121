import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, vi } from 'vitest';
import type { Io } from '../src/cli/io.ts';
import { run } from '../src/cli/run.ts';
import type { Report } from '../src/model/report.ts';
import { scratch } from './scratch.ts';

/** What a command left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What is typed or piped in. */
  readonly input?: string;
  /** Where it runs; here unless given. */
  readonly folder?: string;
}

/** Runs `suffice` from its sources in this process. */
export async function runSuffice(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const { io, printed } = testIo(options);
  const code = await run(args, io);
  return { code, ...printed() };
}

/** The streams and surroundings of a command in a test, and what it has printed there. */
export function testIo({ env = {}, input = '', folder }: RunOptions = {}): {
  readonly io: Io;
  printed(): Omit<Outcome, 'code'>;
} {
  const stdout = collector();
  const stderr = collector();
  const io: Io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...process.env, ...env },
    nodeVersion: process.versions.node,
    onSignal: () => () => {},
    ...(folder === undefined ? {} : { cwd: folder }),
  };
  return { io, printed: () => ({ stdout: stdout.text(), stderr: stderr.text() }) };
}

/** Runs `suffice` with these arguments in this process. */
export function suffice(...args: readonly string[]): Promise<Outcome> {
  return runSuffice(args);
}

/** The report of `suffice fit … --json`; fails with what the command said where there is none. */
export async function fitReport(
  formula: string,
  files: readonly string[],
  ...flags: readonly string[]
): Promise<Report> {
  const { code, stdout, stderr } = await suffice('fit', formula, ...files, '--json', ...flags);
  if (code !== 0) throw new Error(`exit ${code}: ${formula}\n${stderr}`);
  return JSON.parse(stdout);
}

/** What an example prints when it is loaded. */
export async function printedBy(load: () => Promise<unknown>): Promise<string> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await load();
    return log.mock.calls.flat().join('\n');
  } finally {
    log.mockRestore();
  }
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** A folder that is gone after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(scratch, 'suffice-test-'));
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
