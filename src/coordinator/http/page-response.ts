import { digestBytes } from '../../study/digest.ts';

/** A file of the web page. */
export interface Page {
  readonly body: Uint8Array;
  readonly type: string;
}

/** Addresses that may be pages; the rest never reaches a file. */
export const pagePaths: readonly string[] = ['/', '/join', '/study', '/assets/*'];

const ASSET = /^\/assets(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** Whether the path could be one of the page's files. */
export function isPagePath(path: string): boolean {
  return path === '/' || path === '/join' || path === '/study' || ASSET.test(path);
}

/** A file with a tag of its content, or 304 where the client has just that. */
export function pageResponse({ body, type }: Page, request: Request): Response {
  const tag = `"${digestBytes(body).slice(-32)}"`;
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: tag };
  const known = request.headers.get('If-None-Match')?.split(',') ?? [];
  if (known.some((text) => text.trim() === tag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(body as Uint8Array<ArrayBuffer>, { headers });
}

/** What stands at `/` where no page is installed. */
export function bareResponse(): Response {
  const text =
    'This is a Suffice coordinator. It collects one contribution from each site of a study.\n' +
    'What it answers is described at /openapi.json.\n';
  return new Response(text, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
}
