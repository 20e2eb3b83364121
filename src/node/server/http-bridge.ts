import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App, Connection } from '../../coordinator/http/app.ts';
import type { HttpAnswer } from '../../coordinator/http/http-answer.ts';
import type { Traffic } from '../../protocol/messages.ts';
import { awaitsContinue } from './incoming-body.ts';
import { incomingRequest } from './incoming-request.ts';

/** How long the rest of a refused upload is read, so that the client sees the refusal. */
const LINGER_MS = 2000;

/** How requests reach the server. */
export interface RequestRoute {
  /** Whether clients use TLS, to this server or to a proxy in front of it. */
  readonly secure: boolean;
  /** Source of a client's address: the socket, or the proxy's X-Forwarded-For header. */
  readonly addressFrom: 'socket' | 'proxy';
}

/** Answers Node's requests with an app; bodies are transferred only as fast as they are read. */
export function bridge(
  app: Pick<App, 'answer'>,
  { secure, addressFrom }: RequestRoute,
  stopping: AbortSignal,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const counted = new WeakMap<Socket, Traffic>();
  return async (incoming, outgoing) => {
    const forwarded = addressFrom === 'proxy' ? forwardedFor(incoming) : undefined;
    const connection: Connection = {
      address: forwarded ?? incoming.socket.remoteAddress ?? 'unknown',
      secure,
      path: (incoming.url ?? '').split(/[?#]/, 1)[0],
      traffic: trafficOf(incoming.socket, outgoing, counted),
    };
    try {
      const answer = await app.answer(incomingRequest(incoming, outgoing), connection);
      await send(answer, incoming, outgoing, stopping.aborted);
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

async function send(
  { status, headers, body }: HttpAnswer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  last: boolean,
): Promise<void> {
  const early = !incoming.complete;
  const isHead = incoming.method === 'HEAD';
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length =
    bytes instanceof ReadableStream || isHead || status === 204 || status === 304
      ? {}
      : { 'Content-Length': bytes?.length ?? 0 };
  outgoing.writeHead(status, {
    ...headers,
    ...length,
    ...(early || last ? { Connection: 'close' } : {}),
  });
  if (bytes instanceof ReadableStream) await sendStream(bytes, outgoing);
  else if (early && !awaitsContinue(incoming)) {
    if (bytes === null || isHead) outgoing.flushHeaders();
    else outgoing.write(bytes);
    await drain(incoming);
  } else if (bytes !== null && !isHead) {
    outgoing.end(bytes);
    return;
  }
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
