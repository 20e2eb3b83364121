import { truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { backboneMap } from '../src/features/backbone-map.ts';
import { hasPinned } from '../src/features/pinned-file.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { loadPinned } from '../src/rows/load-pinned.ts';
import { blobHost } from '../web/worker/blob-host.ts';
import { temporaryFolder } from './cli.ts';
import { put } from './image-files.ts';

const [file] = backboneMap.files!;
const folder = temporaryFolder();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

it('a tab takes no more of an endless file than the study’s has', async () => {
  let closed = () => {};
  const end = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((_, answer) => {
    const chunk = Buffer.alloc(2 ** 16);
    const more = () => {
      while (!answer.destroyed && answer.write(chunk));
    };
    answer.on('drain', more).on('close', closed);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubGlobal('self', { location: { href: `http://127.0.0.1:${port}/assets/worker.js` } });
  await expect(loadPinned([file], blobHost)).rejects.toThrow('it is longer');
  await end; // the tab has hung up
  expect(hasPinned(file)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
});

it('a command does not read a file that is longer than the study’s', async () => {
  truncateSync(put(folder, 'centernet.bin', new Uint8Array(1)), 5e9); // no bytes on the disk
  vi.stubEnv('SUFFICE_MODELS', folder);
  await expect(loadPinned([file], nodeHost)).rejects.toThrow('it is longer');
  expect(hasPinned(file)).toBe(false);
});
