import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '../../coordinator/http/http-request.ts';
import { incomingBody } from './incoming-body.ts';

/** One of Node's requests, as the app reads it. Headers and the signal are made when they are asked for. */
export function incomingRequest(incoming: IncomingMessage, outgoing: ServerResponse): HttpRequest {
  const { method = 'GET', rawHeaders } = incoming;
  const target = incoming.url ?? '/';
  // A target that is not a path is refused later, by `Connection.path`; here any valid URL will do.
  const path = target.startsWith('/') ? target : '/';
  let gone: AbortController | undefined;
  return {
    method,
    url: `http://localhost${path}`,
    headers: { get: (name) => headerIn(rawHeaders, name.toLowerCase()) },
    get signal() {
      gone ??= abortedWith(outgoing);
      return gone.signal;
    },
    body: null,
    ...(method === 'GET' || method === 'HEAD'
      ? {}
      : { source: incomingBody(incoming, () => outgoing.writeContinue()) }),
  };
}

/** The value of a header, as web headers have it: several are one list (RFC 9110 §5.3). */
function headerIn(raw: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let k = 0; k < raw.length; k += 2) {
    if (raw[k].length !== name.length || raw[k].toLowerCase() !== name) continue;
    value = value === null ? raw[k + 1] : `${value}, ${raw[k + 1]}`;
  }
  return value;
}

/** Aborted when the client disconnects before it has the whole answer. */
function abortedWith(outgoing: ServerResponse): AbortController {
  const gone = new AbortController();
  const look = () => {
    if (!outgoing.writableFinished) gone.abort();
  };
  if (outgoing.closed) look();
  else outgoing.once('close', look);
  return gone;
}
