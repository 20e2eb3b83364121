import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { publishFile, syncFolder, writeSafely } from '../src/node/files/safe-file.ts';
import { temporaryFolder } from './cli.ts';

/** Notes what is synced, renamed and linked, in order, until the test ends. */
function noted(): string[] {
  const steps: string[] = [];
  const { open, rename, link } = fs;
  const nameOf = (path: unknown) => basename(String(path)).replace(/\.[0-9a-f]{12}\./, '.');
  Object.assign(fs, {
    open: async (...args: Parameters<typeof open>) => {
      const handle = await open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = () => {
        steps.push(`sync ${nameOf(args[0])}`);
        return sync();
      };
      return handle;
    },
    rename: (...args: Parameters<typeof rename>) => {
      steps.push(`rename ${nameOf(args[1])}`);
      return rename(...args);
    },
    link: (...args: Parameters<typeof link>) => {
      steps.push(`link ${nameOf(args[1])}`);
      return link(...args);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { open, rename, link });
    syncBuiltinESMExports();
  });
  return steps;
}

it('a new name is durable: the folder is synced after a rename or a link', async () => {
  const folder = join(temporaryFolder(), 'folder');
  await fs.mkdir(folder);
  const steps = noted();
  await writeSafely(join(folder, 'a'), 'one', 0o600);
  await publishFile(join(folder, 'b'), 'two', 0o600);
  expect(steps).toEqual([
    'sync a.draft',
    'rename a',
    'sync folder',
    'sync b.draft',
    'link b',
    'sync folder',
  ]);
  expect((await fs.readdir(folder)).sort()).toEqual(['a', 'b']);
});

it('a folder that cannot be opened is no failure', async () => {
  await expect(syncFolder(join(temporaryFolder(), 'absent'))).resolves.toBeUndefined();
});
