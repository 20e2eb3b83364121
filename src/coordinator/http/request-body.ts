import type { ZodType } from 'zod';
import { Refusal } from '../../protocol/refusal.ts';
import { type BodySource, streamOf, streamSource } from './body-source.ts';
import type { HttpRequest } from './http-request.ts';
import type { UploadShare } from './upload-budget.ts';

/** Limits for reading a body. */
export interface BodyLimits {
  /** Largest number of bytes, after decompression. */
  readonly limit: number;
  /** For an upload: its share of the upload budget. */
  readonly share?: UploadShare;
  /** Longest pause of the client before the request is refused. */
  readonly patienceMs: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** Fewest bytes a second that a client must send, on the way and not unpacked, once its patience is over. */
const SLOWEST = 1000;
/** Longest time for a body of any length. */
const LONGEST_MS = 600_000;

/** Says how long the next bytes may take: a client that sends a little now and then does not hold a place for long. */
interface Pace {
  sent(bytes: number): void;
  /** Time that the client did not cause. */
  excuse(milliseconds: number): void;
  left(): number;
}

function paceOf(patienceMs: number, now: () => number): Pace {
  const started = now();
  let bytes = 0;
  let excused = 0;
  return {
    sent(more) {
      bytes += more;
    },
    excuse(milliseconds) {
      excused += milliseconds;
    },
    left() {
      const allowed = Math.min(LONGEST_MS, patienceMs + (1000 * bytes) / SLOWEST);
      return Math.min(patienceMs, started + excused + allowed - now());
    },
  };
}

/** The whole body in one buffer; refuses as soon as it is known to be too long. */
export async function readBody(request: HttpRequest, limits: BodyLimits): Promise<Uint8Array> {
  const { limit, share, patienceMs, now = () => performance.now() } = limits;
  const pace = paceOf(patienceMs, now);
  const encoding = (request.headers.get('Content-Encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refusal(
      'unsupported-type',
      'Content-Encoding must be gzip or absent',
      'compress the body with gzip, or do not compress it',
    );
  }
  const declared = announcedBytes(request) ?? Number.NaN;
  // Gzip can make a body longer: by 5 bytes for every 16 kB, and a frame.
  const mostSent = encoding === 'gzip' ? limit + limit / 1000 + 1000 : limit;
  if (declared > mostSent) throw tooLarge(limit);
  const given = request.source;
  if (given === undefined && request.body === null) return new Uint8Array(0);
  const isGzip = encoding === 'gzip';
  const reading: Reading = { ...{ limit, pace, now }, ...(share === undefined ? {} : { share }) };
  if (isGzip && given !== undefined && declared <= SMALL && limit <= SMALL) {
    const packed = await gather(given, { ...reading, most: declared, announced: declared });
    return unpack(given, packed, reading);
  }
  if (!isGzip) {
    const announced = declared >= 0 ? declared : undefined;
    const source = given ?? streamSource(request.body as ReadableStream<Uint8Array>);
    return gather(source, { ...reading, most: announced ?? limit, announced: announced ?? 0 });
  }
  let excess = false;
  const body = given === undefined ? request.body : streamOf(given);
  const stream = unzipped(body as ReadableStream<Uint8Array>, mostSent, pace, () => {
    excess = true;
  });
  // Only what comes over the network counts for the pace.
  const excused = { ...pace, sent: () => {} };
  return gather(streamSource(stream), {
    ...reading,
    pace: excused,
    most: limit,
    announced: 0,
  }).catch((failure) => {
    throw excess ? tooLarge(limit) : failure;
  });
}

/** Gzip files of at most this many bytes, packed and unpacked, are read as a whole before they are unpacked. */
const SMALL = 262_144;

interface Reading {
  readonly limit: number;
  readonly pace: Pace;
  readonly now: () => number;
  readonly share?: UploadShare;
}

async function unpack(
  source: BodySource,
  packed: Uint8Array,
  { limit, share }: Reading,
): Promise<Uint8Array> {
  let file: Uint8Array;
  try {
    file = source.unzip(packed, limit + 1);
  } catch (failure) {
    throw failure instanceof RangeError ? tooLarge(limit) : brokenOff();
  }
  if (file.length > limit) throw tooLarge(limit);
  await share?.grow(file.length);
  return file;
}

/** All bytes of a source in one buffer of at most `most` bytes; `announced` of them are expected. */
async function gather(
  source: Omit<BodySource, 'unzip'>,
  reading: Reading & { readonly most: number; readonly announced: number },
): Promise<Uint8Array> {
  const { limit, share, pace, now, most, announced } = reading;
  let file = new Uint8Array(0);
  let length = 0;
  try {
    for (;;) {
      const value = await withTimeout(source.next(), pace.left());
      if (value === undefined) break;
      pace.sent(value.length);
      if (length + value.length > most) throw tooLarge(limit);
      const waiting = now();
      await share?.grow(value.length);
      pace.excuse(now() - waiting);
      file = withCapacity(file, length + value.length, announced, most);
      file.set(value, length);
      length += value.length;
    }
  } catch (failure) {
    source.cancel();
    throw failure instanceof Refusal ? failure : brokenOff();
  }
  return file.subarray(0, length);
}

/** The same bytes in a buffer of at least `needed` bytes: of the announced length, or twice as long as before. */
function withCapacity(
  file: Uint8Array<ArrayBuffer>,
  needed: number,
  announced: number,
  most: number,
): Uint8Array<ArrayBuffer> {
  if (needed <= file.length) return file;
  const larger = new Uint8Array(Math.min(most, Math.max(needed, announced, 2 * file.length)));
  larger.set(file);
  return larger;
}

/**
 * The content of a gzip stream; fails after `most` compressed bytes. It is not a `pipeThrough`,
 * which would read the whole body into memory before anyone asks for it.
 */
function unzipped(
  body: ReadableStream<Uint8Array>,
  most: number,
  pace: Pace,
  exceeded: () => void,
): ReadableStream<Uint8Array> {
  const gunzip = new DecompressionStream('gzip');
  const from = body.getReader();
  const to = (gunzip.writable as WritableStream<Uint8Array>).getWriter();
  to.closed.catch(() => {}); // the reading side reports the error
  const feed = async (): Promise<void> => {
    let sent = 0;
    for (;;) {
      if (pace.left() <= 0) throw new Error('too slow');
      const { done, value } = await from.read();
      if (done) return to.close();
      sent += value.length;
      pace.sent(value.length);
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
export async function readJsonBody(
  request: HttpRequest,
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

/** The length of a body by its header. */
export function announcedBytes({ headers }: HttpRequest): number | undefined {
  const text = headers.get('Content-Length');
  return text === null ? undefined : Number(text);
}

/** The media type without parameters, in lower case. */
export function mediaType(request: HttpRequest): string {
  return (request.headers.get('Content-Type') ?? '').split(';')[0].trim().toLowerCase();
}

function tooLarge(limit: number): Refusal {
  return new Refusal(
    'too-large',
    `the body exceeds ${limit} bytes`,
    'check that the body was made for this study; the study states the largest size of a contribution',
  );
}

function brokenOff(): Refusal {
  return new Refusal(
    'bad-request',
    'the body is not complete or is not valid gzip',
    'send it again',
  );
}

async function withTimeout<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  if (milliseconds <= 0) throw brokenOff();
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
