/** A file of the web page. */
export interface Page {
  readonly body: Uint8Array;
  readonly type: string;
  /** Names the content: another one has another tag. */
  readonly tag: string;
  /** `forever` where another content would have another name, `checked` where clients must ask. */
  readonly kept: 'forever' | 'checked';
  /** The same, smaller; absent where that would save nothing. */
  readonly gzipped?: () => Promise<Uint8Array>;
}

/** Addresses of the one page, whose script looks at the path; each is one segment deep. */
export const documentPaths: readonly string[] = [
  '/',
  '/create',
  '/study',
  '/result',
  '/predict',
  '/join',
  '/lab',
];

/** Addresses that may be pages; the rest never reaches a file. */
export const pagePaths: readonly string[] = [...documentPaths, '/assets/*'];

const ASSET = /^\/assets\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Whether the path could be one of the page's files. */
export function isPagePath(path: string): boolean {
  return documentPaths.includes(path) || ASSET.test(path);
}

const lifetimes: Readonly<Record<Page['kept'], string>> = {
  forever: 'public, max-age=31536000, immutable',
  checked: 'no-cache',
};

/** A file with the tag of its content, gzipped for who takes that; or 304 where the client has just that. */
export async function pageResponse(page: Page, request: Request): Promise<Response> {
  const { body, type, tag, kept, gzipped } = page;
  const headers = new Headers({
    'Content-Type': type,
    'Cache-Control': lifetimes[kept],
    ETag: `W/"${tag}"`,
  });
  if (gzipped !== undefined) headers.set('Vary', 'Accept-Encoding');
  if (knows(request, tag)) return new Response(null, { status: 304, headers });
  if (gzipped === undefined || !takesGzip(request)) return bytesResponse(body, headers);
  headers.set('Content-Encoding', 'gzip');
  return bytesResponse(await gzipped(), headers);
}

function bytesResponse(body: Uint8Array, headers: Headers): Response {
  return new Response(body as Uint8Array<ArrayBuffer>, { headers });
}

/** Whether the client has the content of this tag, however it was encoded on the way. */
function knows(request: Request, tag: string): boolean {
  const known = request.headers.get('If-None-Match')?.split(',') ?? [];
  return known.some((text) => text.trim().replace(/^W\//, '') === `"${tag}"`);
}

/** Whether the client takes gzip (RFC 9110 §12.5.3): named, with any weight but 0. */
function takesGzip(request: Request): boolean {
  const codings = request.headers.get('Accept-Encoding')?.toLowerCase().split(',') ?? [];
  return codings.some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(coding));
}

/** Whether a person seems to have asked, by an address from which the page finds its files. */
export function isTyped({ method, url, headers }: Request): boolean {
  const oneDeep = /^\/[^/]+$/.test(new URL(url).pathname);
  return method === 'GET' && oneDeep && (headers.get('Accept') ?? '').includes('text/html');
}

/** The page at an address that leads nowhere: its script says so. */
export function lostResponse({ body, type }: Page): Response {
  const headers = new Headers({ 'Content-Type': type, 'Cache-Control': 'no-store' });
  return new Response(body as Uint8Array<ArrayBuffer>, { status: 404, headers });
}

/** What stands at `/` where no page is installed. */
export function bareResponse(): Response {
  const text =
    'This is a Suffice coordinator. It collects one contribution from each site of a study.\n' +
    'What it answers is described at /openapi.json.\n';
  return new Response(text, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
}
