import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App, Connection } from '../../coordinator/http/app.ts';
import { giveBody, keptText } from '../../coordinator/http/body-source.ts';
import type { Traffic } from '../../protocol/messages.ts';
import { awaitsContinue, incomingBody } from './incoming-body.ts';

/** How long the rest of a refused upload is read, so that the client sees the refusal. */
const LINGER_MS = 2000;

/** How requests reach the server. */
export interface RequestRoute {
  /** Whether clients use TLS, to this server or to a proxy in front of it. */
  readonly secure: boolean;
  /** Source of a client's address: the socket, or the proxy's X-Forwarded-For header. */
  readonly addressFrom: 'socket' | 'proxy';
}

/** Answers Node's requests with an app of web requests; bodies are transferred only as fast as they are read. */
export function bridge(
  app: Pick<App, 'fetch'>,
  { secure, addressFrom }: RequestRoute,
  stopping: AbortSignal,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const counted = new WeakMap<Socket, Traffic>();
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const socketAddress = incoming.socket.remoteAddress ?? 'unknown';
    const connection: Connection = {
      address: (addressFrom === 'proxy' ? forwardedFor(incoming) : undefined) ?? socketAddress,
      secure,
      path: (incoming.url ?? '').split(/[?#]/, 1)[0],
      traffic: trafficOf(incoming.socket, outgoing, counted),
    };
    try {
      const response = await app.fetch(webRequest(incoming, outgoing, gone.signal), connection);
      if (stopping.aborted) outgoing.setHeader('Connection', 'close');
      await send(response, incoming, outgoing);
    } catch {
      outgoing.destroy(); // the client has disconnected during the answer
    }
  };
}

/** The last address of X-Forwarded-For: the client may have invented the ones before it. */
function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const header = headers['x-forwarded-for'];
  const last = (Array.isArray(header) ? header.join() : header)?.split(',').at(-1)?.trim();
  return last === '' ? undefined : last;
}

function webRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Request {
  const { method = 'GET' } = incoming;
  const headers = new Headers();
  for (let k = 0; k < incoming.rawHeaders.length; k += 2) {
    headers.append(incoming.rawHeaders[k], incoming.rawHeaders[k + 1]);
  }
  const target = incoming.url ?? '/';
  // A target that is not a path is refused later, by `connection.path`; here any valid URL will do.
  const place = target.startsWith('/') ? target : '/';
  const url = URL.canParse(`http://localhost${place}`)
    ? `http://localhost${place}`
    : 'http://localhost/';
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
  // Web requests cannot have the method TRACE or CONNECT; no route has these or OPTIONS.
  const allowed = method === 'TRACE' || method === 'CONNECT' ? 'OPTIONS' : method;
  const request = new Request(url, { method: allowed, headers, signal });
  giveBody(
    request,
    incomingBody(incoming, () => outgoing.writeContinue()),
  );
  return request;
}

async function send(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const early = !incoming.complete;
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  if (early) outgoing.setHeader('Connection', 'close');
  if (response.body === null || incoming.method === 'HEAD') {
    if (response.status !== 204 && response.status !== 304 && incoming.method !== 'HEAD') {
      outgoing.setHeader('Content-Length', 0);
    }
    outgoing.flushHeaders();
  } else if (response.headers.get('Content-Type') === 'text/event-stream') {
    await sendStream(response.body, outgoing);
  } else {
    const text = keptText(response);
    const body =
      text === undefined ? new Uint8Array(await response.arrayBuffer()) : Buffer.from(text);
    outgoing.setHeader('Content-Length', body.length);
    outgoing.write(body);
  }
  if (early && !awaitsContinue(incoming)) await drain(incoming);
  outgoing.end();
}

async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.flushHeaders();
  const reader = body.getReader();
  outgoing.once('close', () => reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (outgoing.write(value)) continue;
    await new Promise<void>((resolve) => {
      outgoing.once('drain', resolve);
      outgoing.once('close', resolve);
    });
  }
}

/** Reads and discards the rest for a while: a reset now could arrive before the answer. */
function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    incoming.once('end', done);
    incoming.once('close', done);
    incoming.once('error', done);
    incoming.resume();
  });
}

/** Bytes of one request and its answer: counted by the socket since the end of the request before. */
function trafficOf(
  socket: Socket,
  outgoing: ServerResponse,
  counted: WeakMap<Socket, Traffic>,
): Promise<Traffic> {
  return new Promise((resolve) => {
    outgoing.once('close', () => {
      const before = counted.get(socket) ?? { up: 0, down: 0 };
      const now = { up: socket.bytesRead, down: socket.bytesWritten };
      counted.set(socket, now);
      resolve({ up: now.up - before.up, down: now.down - before.down });
    });
  });
}
