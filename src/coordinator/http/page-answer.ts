import { answerOf, type HttpAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';

/** A file of the web page. */
export interface StaticPage {
  readonly body: Uint8Array;
  readonly type: string;
  /** Identifies the content: other content has another tag. */
  readonly tag: string;
  /** `forever` if other content would have another name, `checked` if clients must ask each time. */
  readonly cached: 'forever' | 'checked';
  /** The body in gzip; absent if gzip saves nothing. */
  readonly gzipped?: () => Promise<Uint8Array>;
}

/** Addresses that all serve the one HTML page, whose script reads the path; each has one segment. */
export const documentPaths: readonly string[] = [
  '/',
  '/create',
  '/study',
  '/result',
  '/predict',
  '/join',
  '/lab',
];

/** Addresses that may lead to a file. */
export const pagePaths: readonly string[] = [...documentPaths, '/assets/*'];

const ASSET = /^\/assets\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Whether the path may name a file of the web page. */
export function isPagePath(path: string): boolean {
  return documentPaths.includes(path) || ASSET.test(path);
}

const lifetimes: Readonly<Record<StaticPage['cached'], string>> = {
  forever: 'public, max-age=31536000, immutable',
  checked: 'no-cache',
};

/** A file with its tag, in gzip if the client accepts it; 304 if the client has the same content. */
export async function pageAnswer(page: StaticPage, request: HttpRequest): Promise<HttpAnswer> {
  const { body, type, tag, cached, gzipped } = page;
  const headers = {
    'Content-Type': type,
    'Cache-Control': lifetimes[cached],
    ETag: `W/"${tag}"`,
    ...(gzipped === undefined ? {} : { Vary: 'Accept-Encoding' }),
  };
  if (knows(request, tag)) return answerOf(null, headers, 304);
  if (gzipped === undefined || !acceptsGzip(request)) return answerOf(body, headers);
  return answerOf(await gzipped(), { ...headers, 'Content-Encoding': 'gzip' });
}

/** Whether the client has the content with this tag, in any encoding. */
function knows(request: HttpRequest, tag: string): boolean {
  const known = request.headers.get('If-None-Match')?.split(',') ?? [];
  return known.some((text) => text.trim().replace(/^W\//, '') === `"${tag}"`);
}

/** Whether the client accepts gzip (RFC 9110 §12.5.3): named, with a weight above 0. */
function acceptsGzip(request: HttpRequest): boolean {
  const codings = request.headers.get('Accept-Encoding')?.toLowerCase().split(',') ?? [];
  return codings.some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(coding));
}

/** Whether a person seems to have typed the address, with one segment, so that the page finds its files. */
export function isTyped({ method, url, headers }: HttpRequest): boolean {
  const oneDeep = /^\/[^/]+$/.test(new URL(url).pathname);
  return method === 'GET' && oneDeep && (headers.get('Accept') ?? '').includes('text/html');
}

/** The page for an unknown address: its script shows the message. */
export function lostAnswer({ body, type }: StaticPage): HttpAnswer {
  return answerOf(body, { 'Content-Type': type, 'Cache-Control': 'no-store' }, 404);
}

/** The text at `/` if no web page is installed. */
export function bareAnswer(): HttpAnswer {
  const text =
    'This is a Suffice coordinator. It collects one contribution from each site of a study.\n' +
    'Its operations are described at /openapi.json.\n';
  return answerOf(text, { 'Content-Type': 'text/plain; charset=utf-8' });
}
