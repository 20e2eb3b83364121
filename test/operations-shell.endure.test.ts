import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { stablePort } from './coordinator-process.ts';
import {
  bareMachine,
  oneContribution,
  pageCommands,
  runInShell,
  whyNoRegistry,
} from './operations-shell.ts';

const noRegistry = whyNoRegistry();
if (noRegistry !== undefined)
  console.warn(`docs/operations.md is not run in a shell: ${noRegistry}`);

it.skipIf(noRegistry !== undefined)(
  'docs/operations.md: an administrator installs, starts, backs up, restores and upgrades on a bare machine',
  async () => {
    const machine = temporaryFolder();
    const env = bareMachine(machine);
    const folder = join(machine, 'work');
    mkdirSync(folder);
    const port = await stablePort();
    const lines = pageCommands('sh').map((line) => line.replaceAll('7700', String(port)));
    const started = lines.indexOf('suffice doctor --data suffice-data') + 1;
    lines.splice(started, 0, ...oneContribution(port, 'suffice-data/admin-token'));
    const { code, said } = await runInShell(lines, folder, env);
    expect(code, said).toBe(0);
    // What was acknowledged before the first backup is there after restore, upgrade and all restarts.
    const counts = said
      .match(/^ok +store .*$/gm)!
      .map((line) => /(\d+) stud.*?(\d+) con/.exec(line)!.slice(1, 3));
    expect(counts[0]).toEqual(['0', '0']);
    expect(counts.slice(1)).toEqual(counts.slice(1).map(() => ['1', '1']));
    expect(counts.length).toBeGreaterThan(3);
    expect(said).not.toMatch(/no such job|in use|^warning|^problem/m);
  },
);
