import { readFile } from 'node:fs/promises';

/** A file of the pages, ready to be served. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly type: string;
}

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Every address the pages have: a list, so that no path can name anything else. */
const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'web/study.html', type: HTML },
  '/join': { file: 'web/study.html', type: HTML },
  '/study': { file: 'web/study.html', type: HTML },
  '/assets/study.css': { file: 'web/study.css', type: 'text/css; charset=utf-8' },
  '/assets/icon.svg': { file: 'web/icon.svg', type: 'image/svg+xml' },
  '/assets/study.js': { file: 'dist/web/study.js', type: SCRIPT },
  '/assets/views.js': { file: 'dist/web/views.js', type: SCRIPT },
  '/assets/event-stream.js': { file: 'dist/web/event-stream.js', type: SCRIPT },
};

/** The page or asset at a path, undefined where there is none. */
export async function pageAt(path: string): Promise<PageFile | undefined> {
  const page = Object.hasOwn(files, path) ? files[path] : undefined;
  if (page === undefined) return undefined;
  const body = await readFile(new URL(`../../${page.file}`, import.meta.url));
  return { body, type: page.type };
}
