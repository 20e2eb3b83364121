import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** Everything a command prints until it says how to stop it, or its only line of JSON. */
async function printed(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let text = '';
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL'); // what runs on the terminal goes with it
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => {
        text += part;
        if (/Ctrl-C stops it|suffice\/serving@1[^\n]*\n/.test(text)) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${text}`)));
  });
  return text;
}

const flags = (data: string) => [main, 'serve', '--port', '0', '--data', data, '--log', 'text'];
const tokenIn = (data: string) => readFileSync(join(data, 'admin-token'), 'utf8').trim();

/** Runs a command before a pseudo-terminal. */
const onTerminal = (args: readonly string[]) =>
  ['-qec', [process.execPath, ...args].map((arg) => `'${arg}'`).join(' '), '/dev/null'] as const;
const terminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!terminal) console.warn('tests before a terminal are skipped: there is no script(1)');

describe('the link that suffice serve prints for a browser', () => {
  it.skipIf(!terminal)('holds the operator’s token before a terminal', async () => {
    const data = join(temporaryFolder(), 'data');
    const text = await printed('script', onTerminal(flags(data)));
    const links = text.match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/g);
    const token = tokenIn(data);
    expect(token).toMatch(/^sfo_/);
    expect(links).toEqual([expect.stringMatching(new RegExp(`/#${token}$`))]);
    expect(text.split(token)).toHaveLength(2);
  });

  it.skipIf(!terminal || !enduring)('holds none with --json, even before a terminal', async () => {
    const data = join(temporaryFolder(), 'data');
    const text = await printed('script', onTerminal([...flags(data), '--json']));
    expect(text).toContain('adminTokenFile');
    expect(text).not.toContain(tokenIn(data));
    expect(text).not.toContain('#');
  });

  it('holds none elsewhere, where it says which file has the token', async () => {
    const data = join(temporaryFolder(), 'data');
    const args = [...flags(data), '--public-url', 'https://study.example/prefix/'];
    const text = await printed(process.execPath, args);
    expect(text).toContain('  https://study.example/prefix/\n');
    expect(text).toContain(`with the admin token from ${join(data, 'admin-token')} behind #`);
    expect(text).not.toContain(tokenIn(data).slice(0, 12));
  });

  it.skipIf(!terminal || !enduring)('holds none that came from the environment', async () => {
    const data = join(temporaryFolder(), 'data');
    const token = `sfo_${'A'.repeat(43)}`;
    const env = { SUFFICE_ADMIN_TOKEN: token };
    const text = await printed('script', onTerminal(flags(data)), env);
    expect(text).toMatch(/with the admin token behind #:\s+http:\/\/127\.0\.0\.1:\d+\/\s/);
    expect(text).not.toContain(token);
  });
});
