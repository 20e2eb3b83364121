import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogWriter } from '../src/node/server/log-writer.ts';
import { temporaryFolder } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import { startServing } from './serving.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** The statuses of this many health checks, one after another; 0 where nobody answers. */
async function health(address: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let k = 0; k < times; k++) {
    const answer = await fetch(`${address}/healthz`).catch(() => ({ status: 0 }));
    statuses.push(answer.status);
  }
  return statuses;
}

describe('a coordinator whose output nobody reads', () => {
  it('answers on after the readers of its log and of stdout have gone', async () => {
    const serving = await startServing(['--data', join(temporaryFolder(), 'data')]);
    serving.child.stderr!.destroy();
    serving.child.stdout!.destroy();
    expect(new Set(await health(serving.address, 10))).toEqual(new Set([200]));
    expect(serving.child.exitCode).toBeNull();
    expect(await serving.stop()).toBe(0);
  });

  it.skipIf(!existsSync('/dev/full'))('answers on with a full disk under its log', async () => {
    const port = await stablePort();
    const full = openSync('/dev/full', 'w');
    const flags = ['serve', '--port', `${port}`, '--json', '--data', join(temporaryFolder(), 'd')];
    const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', full, full] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const address = `http://127.0.0.1:${port}`;
    await expect.poll(() => health(address, 1)).toEqual([200]);
    expect(new Set(await health(address, 10))).toEqual(new Set([200]));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });
});

describe('the writer of a log', () => {
  /** A stream that fails, or holds what it gets, for as long as it is told to. */
  const faulty = () => {
    const state = { broken: false, held: [] as (() => void)[], hold: false };
    const lines: string[] = [];
    const stream = new Writable({
      decodeStrings: false,
      // As Node does for stdout and stderr, which outlive an error.
      destroy(this: Writable & { _undestroy?(): void }, error, done) {
        done(error);
        this._undestroy?.();
      },
      write(chunk: string, _, done) {
        const end = () => {
          if (!state.broken) lines.push(chunk);
          done(state.broken ? new Error('no reader') : null);
        };
        if (state.hold) state.held.push(end);
        else end();
      },
    });
    return { stream, lines, state };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('counts the lines that were lost, and says how many once it can', async () => {
    const { stream, lines, state } = faulty();
    const log = createLogWriter(stream, (lost) => `lost ${lost}`);
    log.write('a');
    state.broken = true;
    log.write('b');
    await turn();
    log.write('c');
    await turn();
    expect(log.lost()).toBe(2);
    state.broken = false;
    log.write('d');
    await turn();
    log.write('e');
    await turn();
    expect(lines).toEqual(['a', 'd', 'lost 2', 'e']);
    expect(log.lost()).toBe(0);
  });

  it('drops lines rather than fill the memory when the reader does not read', async () => {
    const { stream, lines, state } = faulty();
    const log = createLogWriter(stream, (lost) => `lost ${lost}`);
    state.hold = true;
    const line = 'x'.repeat(100_000);
    for (let k = 0; k < 100; k++) log.write(line);
    expect(stream.writableLength).toBeLessThan(2_000_000);
    expect(log.lost()).toBeGreaterThan(80);
    state.hold = false;
    for (const end of state.held.splice(0)) end();
    await turn();
    log.write('next');
    await turn();
    expect(lines.filter((text) => /^lost \d\d$/.test(text))).toHaveLength(1);
  });
});
