import type { ZodType } from 'zod';
import { Refusal } from '../../protocol/refusal.ts';
import type { Share } from './upload-budget.ts';

/** How a body is taken in. */
export interface BodyLimits {
  /** Bytes at most, after decompression. */
  readonly limit: number;
  /** What it takes of the budget of uploads, if it is one. */
  readonly share?: Share;
  /** A sender that sends nothing for so long is given up. */
  readonly patienceMs: number;
}

/** The whole body in one buffer; refuses as soon as it is sure to be too long. */
export async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { limit, share, patienceMs } = limits;
  const encoding = (request.headers.get('Content-Encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refusal(
      'unsupported-type',
      'Content-Encoding must be gzip or absent',
      'send it with gzip or as it is',
    );
  }
  const declared = Number(request.headers.get('Content-Length') ?? Number.NaN);
  // Bytes that gzip cannot shorten grow by 5 for every 16 kB, and a frame.
  const mostSent = encoding === 'gzip' ? limit + limit / 1000 + 1000 : limit;
  if (declared > mostSent) throw tooLarge(limit);
  if (request.body === null) return new Uint8Array(0);
  let excess = false;
  const stream =
    encoding === 'gzip'
      ? unzipped(request.body, mostSent, () => {
          excess = true;
        })
      : request.body;
  const reader = stream.getReader();
  const announced = encoding === 'identity' && declared >= 0 ? declared : undefined;
  const most = announced ?? limit;
  let file = new Uint8Array(0);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await patiently(reader.read(), patienceMs);
      if (done) break;
      if (length + value.length > most) throw tooLarge(limit);
      await share?.grow(value.length);
      file = withRoom(file, length + value.length, announced ?? 0, most);
      file.set(value, length);
      length += value.length;
    }
  } catch (failure) {
    reader.cancel(failure).catch(() => {});
    if (excess) throw tooLarge(limit);
    throw failure instanceof Refusal ? failure : brokenOff();
  }
  return file.subarray(0, length);
}

/** The same bytes with room for more: all that were announced, or twice as many as before. */
function withRoom(
  file: Uint8Array<ArrayBuffer>,
  needed: number,
  announced: number,
  most: number,
): Uint8Array<ArrayBuffer> {
  if (needed <= file.length) return file;
  const roomy = new Uint8Array(Math.min(most, Math.max(needed, announced, 2 * file.length)));
  roomy.set(file);
  return roomy;
}

/**
 * What a gzip stream holds; breaks off after so many compressed bytes, however little they give.
 * Fed by hand because `pipeThrough` would take in the whole body while nobody reads.
 */
function unzipped(
  body: ReadableStream<Uint8Array>,
  most: number,
  exceeded: () => void,
): ReadableStream<Uint8Array> {
  const gunzip = new DecompressionStream('gzip');
  const from = body.getReader();
  const to = (gunzip.writable as WritableStream<Uint8Array>).getWriter();
  to.closed.catch(() => {}); // the reading side tells of it
  const feed = async (): Promise<void> => {
    let sent = 0;
    for (;;) {
      const { done, value } = await from.read();
      if (done) return to.close();
      sent += value.length;
      if (sent > most) {
        exceeded();
        throw new Error('too many compressed bytes');
      }
      await to.write(value);
    }
  };
  feed().catch((failure) => {
    from.cancel(failure).catch(() => {});
    to.abort(failure).catch(() => {});
  });
  return gunzip.readable as ReadableStream<Uint8Array>;
}

/** A JSON body that fits its schema; an empty body is `{}`. */
export async function readJson(
  request: Request,
  schema: ZodType,
  limits: BodyLimits,
): Promise<unknown> {
  const bytes = await readBody(request, limits);
  if (bytes.length > 0 && mediaType(request) !== 'application/json') {
    throw new Refusal(
      'unsupported-type',
      'the body must be JSON',
      'send it with Content-Type: application/json',
    );
  }
  let json: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    json = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new Refusal('bad-request', 'the body is not JSON', 'send JSON in UTF-8');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  throw new Refusal(
    'bad-request',
    `${where}${message}`.slice(0, 500),
    'the shape of every message is in /openapi.json',
  );
}

/** The media type without parameters, in lower case. */
export function mediaType(request: Request): string {
  return (request.headers.get('Content-Type') ?? '').split(';')[0].trim().toLowerCase();
}

function tooLarge(limit: number): Refusal {
  return new Refusal(
    'too-large',
    `the body exceeds ${limit} bytes`,
    'check that it was made for this study; the study says how large a contribution can be',
  );
}

function brokenOff(): Refusal {
  return new Refusal('bad-request', 'the body broke off or is not valid gzip', 'send it again');
}

async function patiently<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(brokenOff()), milliseconds);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
