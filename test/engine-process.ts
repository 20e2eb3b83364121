import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PATIENCE_MS } from './patience.ts';

/** Whether a server of Debian's packages is on this machine. */
export function isInstalled(program: string): boolean {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) =>
    existsSync(join(folder, program)),
  );
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!;
}

/** Ports that were free a moment ago, all of them held until the last is found. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer();
      await new Promise<void>((resolve, reject) => {
        probe.on('error', reject);
        probe.listen(0, '127.0.0.1', resolve);
      });
      return probe;
    }),
  );
  const ports = probes.map((probe) => (probe.address() as { port: number }).port);
  await Promise.all(probes.map((probe) => new Promise<unknown>((resolve) => probe.close(resolve))));
  return ports;
}

/** Asks a server that has just been started until it answers, or has ended. */
export async function answers(ask: () => Promise<unknown>, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Kills a server and waits for its end. */
export async function killed(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await gone;
}
