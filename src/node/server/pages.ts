import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { documentPaths, type StaticPage } from '../../coordinator/http/page-answer.ts';
import { offeredFiles } from '../../features/feature-maps.ts';
import { assetName, pinnedBytes } from '../../features/pinned-file.ts';
import { loadPinned } from '../../rows/load-pinned.ts';
import { digestBytes } from '../../study/digest.ts';
import { nodeHost } from '../compute/host.ts';
import { packageRoot } from '../files/package-files.ts';

/** File types that are served, by extension, and whether gzip makes them smaller. */
const kinds: Readonly<Record<string, { readonly type: string; readonly packed: boolean }>> = {
  html: { type: 'text/html; charset=utf-8', packed: true },
  js: { type: 'text/javascript; charset=utf-8', packed: true },
  css: { type: 'text/css; charset=utf-8', packed: true },
  svg: { type: 'image/svg+xml', packed: true },
  json: { type: 'application/json', packed: true },
  wasm: { type: 'application/wasm', packed: true },
  woff2: { type: 'font/woff2', packed: false },
  png: { type: 'image/png', packed: false },
};

/** A file name with a digest from the build: its content never changes. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;

/** The page at a path; undefined if there is none. */
export type Pages = (path: string) => Promise<StaticPage | undefined>;

/** Files whose content never changes, read and compressed once for all servers of this process. */
const lasting: ReadFiles = new Map();

type ReadFiles = Map<string, Promise<StaticPage | undefined>>;

/** Where the build puts the pages. */
const built = fileURLToPath(new URL('dist/web', packageRoot));

/**
 * The pages of a folder. The list of addresses is made once, so that no path can reach another
 * file. A file is read and compressed at its first request; then it stays in memory.
 */
export function readStaticPages(folder: string = built): Pages {
  const files = new Map<string, string>();
  for (const name of namesIn(join(folder, 'assets'))) {
    if (kindOf(name) !== undefined) files.set(`/assets/${name}`, join(folder, 'assets', name));
  }
  if (namesIn(folder).includes('index.html')) {
    for (const path of documentPaths) files.set(path, join(folder, 'index.html'));
  }
  const own: ReadFiles = new Map();
  return async (path) => {
    const file = files.get(path);
    if (file === undefined) return offeredPage(path);
    const read = HASHED.test(file) ? lasting : own;
    const reading = read.get(file) ?? readPage(file);
    read.set(file, reading);
    const page = await reading;
    if (page === undefined) read.delete(file);
    return page;
  };
}

/** Names of the files in a folder; empty if there is no folder, as before the first build. */
function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    return [];
  }
}

function kindOf(name: string): (typeof kinds)[string] | undefined {
  const end = name.split('.').at(-1) ?? '';
  return Object.hasOwn(kinds, end) ? kinds[end] : undefined;
}

async function readPage(file: string): Promise<StaticPage | undefined> {
  const kind = kindOf(file);
  const body = await readFile(file).catch(() => undefined);
  if (kind === undefined || body === undefined) return undefined;
  let packed: Promise<Uint8Array> | undefined;
  const gzipped = (): Promise<Uint8Array> => {
    packed ??= promisify(gzip)(body);
    return packed;
  };
  return {
    body,
    type: kind.type,
    tag: digestBytes(body).slice(-32),
    cached: HASHED.test(file) ? 'forever' : 'checked',
    ...(kind.packed ? { gzipped } : {}),
  };
}

/** A public file that a feature map needs, if it is installed here. Its address is its digest, so it never changes. */
async function offeredPage(path: string): Promise<StaticPage | undefined> {
  const file = offeredFiles().find((one) => path === `/assets/${assetName(one)}`);
  if (file === undefined) return undefined;
  try {
    await loadPinned([file], nodeHost);
  } catch {
    return undefined; // not installed, or another file: the page says what to ask for
  }
  return {
    body: pinnedBytes(file),
    type: 'application/octet-stream',
    tag: file.sha256.slice(-32),
    cached: 'forever',
  };
}
