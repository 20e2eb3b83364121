import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { documentPaths, type Page } from '../coordinator/http/page-response.ts';
import { digestBytes } from '../study/digest.ts';
import { packageRoot } from './package-files.ts';

/** What is served, by the end of its name: what it is, and whether gzip makes it smaller. */
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

/** The digest that the build puts into a name, so that one name has one content. */
const HASHED = /-[A-Za-z0-9_-]{8}\.[a-z0-9]+$/;

/** The pages by path, undefined where there is none. */
export type Pages = (path: string) => Promise<Page | undefined>;

/** Where the build puts the pages. */
const built = fileURLToPath(new URL('dist/web', packageRoot));

/**
 * The pages of a folder, as they are now: a list of addresses, so that no path can name anything
 * else. A file is read, and packed, when it is first asked for; then it stays in memory.
 */
export function readPages(folder: string = built): Pages {
  const files = new Map<string, string>();
  for (const name of namesIn(join(folder, 'assets'))) {
    if (kindOf(name) !== undefined) files.set(`/assets/${name}`, join(folder, 'assets', name));
  }
  if (namesIn(folder).includes('index.html')) {
    for (const path of documentPaths) files.set(path, join(folder, 'index.html'));
  }
  const read = new Map<string, Promise<Page | undefined>>();
  return async (path) => {
    const file = files.get(path);
    if (file === undefined) return undefined;
    const reading = read.get(file) ?? readPage(file);
    read.set(file, reading);
    const page = await reading;
    if (page === undefined) read.delete(file);
    return page;
  };
}

/** Names of the files of a folder; none where there is no folder, as before the first build. */
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

async function readPage(file: string): Promise<Page | undefined> {
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
    kept: HASHED.test(file) ? 'forever' : 'checked',
    ...(kind.packed ? { gzipped } : {}),
  };
}
