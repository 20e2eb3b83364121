import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../files/package-files.ts';

/** Runs a command as its own process; gives what it printed. */
export function runSuffice(args: readonly string[]): Promise<string> {
  const { child, printed } = startSuffice(args);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      if (code === 0) done(printed.output);
      else failed(endedEarly(args, code, printed.errors));
    });
  });
}

/** A server as its own process, and the JSON that it printed when it was ready. */
export interface DemoServer<Ready> {
  readonly ready: Ready;
  stop(): Promise<void>;
}

export async function serveSuffice<Ready>(args: readonly string[]): Promise<DemoServer<Ready>> {
  const { child, printed } = startSuffice(args);
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const ready = await new Promise<Ready>((done, failed) => {
    child.stdout!.on('data', () => {
      if (printed.output.endsWith('\n')) done(JSON.parse(printed.output));
    });
    child.on('error', failed);
    void ended.then((code) => failed(endedEarly(args, code, printed.errors)));
  });
  return {
    ready,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function endedEarly(args: readonly string[], code: number | null, errors: string): Error {
  return new Error(`suffice ${args[0]} ended with ${code}: ${errors.trim()}`);
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: { output: string; errors: string };
}

function startSuffice(args: readonly string[]): Started {
  const main = fileURLToPath(new URL('dist/command/main.js', packageRoot));
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { output: '', errors: '' };
  child.stdout.on('data', (bytes) => {
    printed.output += bytes;
  });
  child.stderr.on('data', (bytes) => {
    printed.errors += bytes;
  });
  return { child, printed };
}
