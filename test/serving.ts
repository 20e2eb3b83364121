import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** A `suffice serve` of its own process. */
export interface Serving {
  readonly child: ChildProcess;
  readonly address: string;
  readonly port: number;
  /** What `--json` printed. */
  readonly ready: Readonly<Record<string, string>>;
  readonly operator: string;
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServingOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another build of the command; that of this folder unless given. */
  readonly command?: string;
}

/** Starts the built `suffice serve` on a free port and waits until it is ready. */
export async function startServing(
  flags: readonly string[],
  { cwd, env = {}, command = main }: ServingOptions = {},
): Promise<Serving> {
  const args = [command, 'serve', '--port', '0', '--json', ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  afterAll(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ready = await new Promise<Record<string, string>>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      if (stdout.includes('\n')) resolve(JSON.parse(stdout.split('\n')[0]));
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${stderr}`)));
  });
  const file = cwd === undefined ? ready.adminTokenFile : `${cwd}/${ready.adminTokenFile}`;
  return {
    child,
    address: ready.address,
    port: Number(new URL(ready.address).port),
    ready,
    operator: readFileSync(file, 'utf8').trim(),
    stdout: () => stdout,
    stderr: () => stderr,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null) return child.exitCode;
      const exit = once(child, 'exit');
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}
