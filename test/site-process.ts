import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './cli.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

export interface SiteProcess {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Another build of the command; that of this folder unless given. */
  readonly command?: string;
  /** Where it runs; here unless given. */
  readonly folder?: string;
}

/** Starts the built `suffice` beside this process, so that a server in it can answer. */
export function startSuffice(args: readonly string[], options: ProcessOptions = {}): SiteProcess {
  const child = spawn(process.execPath, [options.command ?? main, ...args], {
    env: { ...process.env, ...options.env },
    stdio: 'pipe',
    cwd: options.folder,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => {
    stdout += bytes;
  });
  child.stderr.on('data', (bytes) => {
    stderr += bytes;
  });
  child.stdin.end(options.input ?? '');
  const outcome = new Promise<Outcome>((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
  return { child, outcome };
}

/** Runs the built `suffice` beside this process. */
export function runBuiltSuffice(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<Outcome> {
  return startSuffice(args, options).outcome;
}

/** Whether a `join` that was not killed has sent, or finds that an earlier run has. */
export function hasContributed({ code, stderr }: Pick<Outcome, 'code' | 'stderr'>): boolean {
  return code === 0 || (code === 5 && stderr.includes('already contributed'));
}
