import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { idxBytes, pngBytes, put, putIdx, putPngs, someImages } from './image-files.ts';

const folder = temporaryFolder();
const home = join(folder, 'home');
const out = join(folder, 'out');
const shape = { height: 8, width: 8, channels: 1 } as const;
const images = someImages(60, shape, 2);
const study = (name: string, data: object = {}) => {
  const path = join(folder, name);
  const json = {
    schema: 'suffice/study@1',
    data: { kind: 'images', ...shape, classes: ['cat', 'dog'], ...data },
    ...{ fusion: { kind: 'ridge', ridge: 'gcv' }, arithmetic: 'exact' },
  };
  writeFileSync(path, JSON.stringify(json));
  return path;
};
const plain = study('plain.json');
const resizing = study('resizing.json', { resize: 'bilinear' });

/** A compressed IDX file of one image that claims this many pixels. */
function claimed(name: string, height: number, width: number): string {
  const at = join(folder, name);
  put(at, 'a-labels-idx1-ubyte.gz', gzipSync(idxBytes([1], Buffer.alloc(1))));
  put(at, 'a-images-idx3-ubyte.gz', gzipSync(idxBytes([1, height, width], Buffer.alloc(9))));
  return at;
}

function photographs(): string {
  const form = { height: 300, width: 400, colour: 0, depth: 1 } as const;
  for (const name of ['cat', 'dog']) {
    put(folder, `photographs/${name}/1.png`, pngBytes(form, new Uint8Array(120_000)));
  }
  return join(folder, 'photographs');
}

function longFile(): string {
  const file = put(folder, 'long/cat/1.png', new Uint8Array(1));
  truncateSync(file, 3e9); // no bytes on the disk
  return join(folder, 'long');
}

function linkedClass(): string {
  const own = putPngs(folder, 'linked', images, ['cat', 'dog']);
  symlinkSync(join(folder, 'photographs/cat'), join(own, 'bird'));
  return own;
}

function escapedClass(): string {
  return putPngs(folder, 'escaped', images, ['cat\u001b[31m', 'dog']);
}

function pipeOfLabels(): string {
  const own = putIdx(folder, 'piped', { ...images, labels: [] });
  execFileSync('rm', [own.replace('images-idx3', 'labels-idx1')]);
  execFileSync('mkfifo', [own.replace('images-idx3', 'labels-idx1')]);
  return own;
}

describe('images that would fill the memory, wait for ever or be missed are refused by name, and nothing is written', () => {
  const init = (path: string) => suffice('study', 'init', '--images', path, '--out', out);
  const contribute = (terms: string) => (path: string) =>
    suffice('contribute', terms, path, '--out', out, '--yes', '--home', home);
  it.each([
    ['a header of 2⁶⁴ pixels', claimed('vast', 2 ** 32 - 1, 2 ** 32 - 1), init, 'pixels'],
    ['photographs', photographs(), init, 'too large for a study'],
    ['a header of 2⁶⁴ pixels', join(folder, 'vast'), contribute(resizing), 'pixels'],
    ['a file of 3 GB', longFile(), init, 'the file has 3000000000 bytes'],
    ['a class that is a link', linkedClass(), init, 'links to folders are not followed'],
    ['a class with an escape', escapedClass(), init, 'class 1 has the hidden character U+001B'],
    ['a named pipe', pipeOfLabels(), contribute(plain), 'not a regular file'],
  ])('%s', async (_, path, command, message) => {
    const { code, stderr } = await command(path);
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
    expect(existsSync(out)).toBe(false);
  });
});
