import { concatBytes } from '@noble/hashes/utils.js';
import { visibleText } from '../text/visible-text.ts';
import type { Problem } from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import { Refusal, type RefusalCode, refusalStatus } from './refusal.ts';
import { sleep } from './sleep.ts';

/** How requests are made, retried and given up. */
export interface ClientOptions {
  readonly fetch?: typeof fetch;
  /** Milliseconds during which a request is tried again; 60,000 unless given. */
  readonly retryFor?: number;
  readonly onRetry?: (problem: string, waitMilliseconds: number) => void;
  readonly signal?: AbortSignal;
  /** Where http without TLS is allowed, which shows the bearer secret; `loopback` unless given. */
  readonly plainHttp?: 'loopback' | 'anywhere';
  /** Milliseconds to wait for an answer after the request is sent; 30,000 unless given. */
  readonly patience?: number;
  /** `gzipped` compresses larger contributions to plain studies (default); `as-they-are` sends the bytes of the file. */
  readonly uploads?: 'gzipped' | 'as-they-are';
  /** Contributions with more bytes are sent in blocks, if the coordinator's are shorter; 1 MiB unless given. */
  readonly blocksFrom?: number;
  /** Hears how much of a large contribution has arrived. */
  readonly onUpload?: (arrivedBytes: number, bytes: number) => void;
  /** Most bytes of an answer; any number unless given. */
  readonly mostBytes?: number;
  /** Who is asked, for messages; a coordinator unless given. */
  readonly server?: 'coordinator' | 'helper';
}

/** One request and when it may be sent again. */
export interface HttpExchange {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /**
   * `always`: a second request has no further effect. `when-untouched`: repeat only if the
   * coordinator cannot have received the first one.
   */
  readonly repeat: 'always' | 'when-untouched';
  /** Set if the answer may take minutes. */
  readonly patience?: 'long';
}

/** A refused second attempt: the first one may have succeeded although its answer was lost. */
export class UncertainRefusal extends Refusal {}

/** Sends requests to one coordinator with one bearer secret. */
export interface Transport {
  /** The bytes of the answer. */
  send(exchange: HttpExchange): Promise<Uint8Array>;
  /** One attempt; returns the open response, or throws a `Refusal` or an `Interruption`. */
  open(exchange: HttpExchange, signal: AbortSignal): Promise<Response>;
  /** Waits before the next attempt; throws if the time for retries is used up. */
  pause(interruption: Interruption, attempt: number, started: number): Promise<void>;
}

const RETRY_FOR = 60_000;
const PATIENCE = 30_000;
/** For an answer that takes minutes, such as the check of a file of a gigabyte. */
const LONG_PATIENCE = 600_000;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 15_000;
/** Slowest upload to wait for, in bytes per millisecond. */
const SLOWEST_UPLOAD = 4;

/** Why an attempt gave no answer. */
export class Interruption extends Error {
  readonly failure: NetworkFailure | Refusal;
  /** The coordinator cannot have acted on the request. */
  readonly untouched: boolean;
  /** Milliseconds the coordinator asks to wait. */
  readonly wait: number;

  constructor(failure: NetworkFailure | Refusal, untouched: boolean, wait = 0) {
    super(failure.message);
    this.failure = failure;
    this.untouched = untouched;
    this.wait = wait;
  }
}

export function createTransport(
  coordinator: string,
  token: string,
  options: ClientOptions = {},
): Transport {
  refusePlainHttp(coordinator, options);
  const request = options.fetch ?? fetch;
  const retryFor = options.retryFor ?? RETRY_FOR;
  const patience = options.patience ?? PATIENCE;
  const place: Place = {
    who: `the ${options.server ?? 'coordinator'}`,
    origin: new URL(coordinator).origin,
  };

  const open: Transport['open'] = async ({ method, path, headers, body }, signal) => {
    let response: Response;
    try {
      response = await request(`${coordinator}${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}` },
        redirect: 'manual', // no other server may get the bearer secret
        signal,
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      });
    } catch (failure) {
      options.signal?.throwIfAborted();
      throw unreachable(place, failure, signal.aborted);
    }
    if (response.ok) return response;
    const said = await bytesIn(response, options.mostBytes, place).catch(() => new Uint8Array());
    const refusal = refusalOf(response.status, new TextDecoder().decode(said), place);
    const wait = waitAsked(response.headers.get('retry-after'));
    if (response.status === 429 || response.status === 503) {
      throw new Interruption(refusal, true, wait);
    }
    if (response.status >= 500) throw new Interruption(refusal, false, wait);
    throw refusal;
  };

  const pause: Transport['pause'] = async (interruption, attempt, started) => {
    const backoff = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1));
    const wait = Math.max(interruption.wait, backoff * (0.5 + Math.random() / 2));
    if (Date.now() - started + wait > retryFor) throw interruption.failure;
    options.onRetry?.(interruption.message, wait);
    await sleep(wait, options.signal);
  };

  const send: Transport['send'] = async (exchange) => {
    const started = Date.now();
    const size = exchange.body?.length ?? 0;
    let uncertain = false;
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted();
      const longest = exchange.patience === 'long' ? Math.max(patience, LONG_PATIENCE) : patience;
      const limit = limited(longest + size / SLOWEST_UPLOAD, options.signal);
      try {
        const response = await open(exchange, limit.signal);
        return await bytesIn(response, options.mostBytes, place).catch((failure) => {
          options.signal?.throwIfAborted();
          if (failure instanceof NetworkFailure) throw failure;
          throw unreachable(place, failure, limit.signal.aborted);
        });
      } catch (failure) {
        if (failure instanceof Refusal && uncertain) {
          throw new UncertainRefusal(failure.code, failure.message, failure.remedy);
        }
        if (!(failure instanceof Interruption)) throw failure;
        if (exchange.repeat !== 'always' && !failure.untouched) throw failure.failure;
        uncertain ||= !failure.untouched;
        await pause(failure, attempt, started);
      } finally {
        limit.end();
      }
    }
  };
  return { send, open, pause };
}

/** The bytes of a response; refuses one that is longer than it may be, before it is in memory. */
async function bytesIn(
  response: Response,
  most: number | undefined,
  { who, origin }: Place,
): Promise<Uint8Array> {
  if (most === undefined || response.body === null) {
    return new Uint8Array(await response.arrayBuffer());
  }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(...parts);
    length += value.length;
    parts.push(value);
    if (length <= most) continue;
    await reader.cancel().catch(() => {});
    throw new NetworkFailure(
      `the answer of ${who} at ${origin} is longer than ${most} bytes`,
      `ask the operator of ${who}`,
    );
  }
}

function refusePlainHttp(
  coordinator: string,
  { plainHttp, server = 'coordinator' }: ClientOptions,
): void {
  const { protocol, hostname } = new URL(coordinator);
  if (protocol === 'https:' || plainHttp === 'anywhere' || isLoopback(hostname)) return;
  throw new Refusal(
    'not-allowed',
    `the link leads to a ${server} without TLS: anyone on the network can read what is sent`,
    'ask for an https:// link',
    { name: 'insecure-http' },
  );
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A signal that aborts after a time, or with the outer signal. */
function limited(
  milliseconds: number,
  outer: AbortSignal | undefined,
): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), milliseconds);
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

/** Error codes of attempts that never reached the coordinator. */
const UNTOUCHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at this address',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ECONNRESET: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
};

/** Whom a request is for. */
interface Place {
  readonly who: string;
  readonly origin: string;
}

function unreachable({ who, origin }: Place, failure: unknown, timedOut: boolean): Interruption {
  const cause = failure instanceof Error ? failure.cause : undefined;
  const code = String((cause as { code?: unknown } | undefined)?.code ?? '');
  const reason = timedOut ? 'no answer in time' : (REASONS[code] ?? (code || 'no connection'));
  const remedy = /CERT|SIGNED|ISSUER|TLS/.test(code)
    ? 'trust its certificate authority (NODE_EXTRA_CA_CERTS), or ask its operator for a valid certificate'
    : `check that ${who} runs and that this machine may connect to it, then try again`;
  const problem = `cannot reach ${who} at ${origin}: ${reason}`;
  return new Interruption(new NetworkFailure(problem, remedy), UNTOUCHED.has(code));
}

/** The failure in an answer that is not a success; without a `Problem` it is a network failure. */
function refusalOf(status: number, text: string, { who, origin }: Place): Refusal | NetworkFailure {
  const problem = problemIn(text);
  if (problem !== undefined && problem.code in refusalStatus) {
    return new Refusal(
      problem.code as RefusalCode,
      visibleText(problem.problem),
      visibleText(problem.remedy),
    );
  }
  if (status < 400) {
    return new NetworkFailure(
      `${who} at ${origin} redirects to another address; redirects are not followed`,
      `ask the operator of ${who} for its new address`,
    );
  }
  return new NetworkFailure(
    `${who} at ${origin} answered with status ${status}`,
    status >= 500 ? 'try again later' : `check that this is the address of ${who}`,
  );
}

function problemIn(text: string): Problem | undefined {
  try {
    const { schema, code, problem, remedy } = JSON.parse(text) ?? {};
    const texts = [code, problem, remedy].every((member) => typeof member === 'string');
    return schema === 'suffice/problem@1' && texts ? { schema, code, problem, remedy } : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After in milliseconds: seconds, or a date (RFC 9110 §10.2.3). */
function waitAsked(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isFinite(wait) ? Math.max(wait, 0) : 0;
}
