import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { App } from '../../coordinator/http/app.ts';
import { securityHeaders } from '../../coordinator/http/security-headers.ts';
import type { Problem } from '../../protocol/messages.ts';
import { UsageError } from '../../usage-error.ts';
import { bridge, type RequestRoute } from './http-bridge.ts';

export interface ListenOptions extends RequestRoute {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Files of the certificate chain and its key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly stopping: AbortSignal;
}

/** Limits for slow clients; an upload may take ten minutes. */
const limits: ServerOptions = {
  requireHostHeader: false, // Node’s own refusal has no security headers, and no code here uses the host
  maxHeaderSize: 16 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 600_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** TLS 1.2 and 1.3, and only ciphers with forward secrecy: a stolen key opens no recorded traffic. */
const tlsLimits: TlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
  handshakeTimeout: 20_000,
};

/** A server that listens. */
export interface Listening {
  readonly server: Server;
  readonly address: string;
  /** Lets running requests finish for a time, in milliseconds; then closes all connections. */
  stop(milliseconds: number): Promise<void>;
}

/** Puts an app on an address of this machine. */
export async function listen(app: Pick<App, 'answer'>, options: ListenOptions): Promise<Listening> {
  const { tls, secure, stopping } = options;
  const server =
    tls === undefined
      ? createServer(limits)
      : createTlsServer({
          ...limits,
          ...tlsLimits,
          cert: readPem(tls.cert),
          key: readPem(tls.key),
        });
  const connections = connectionsOf(server);
  const answer = bridge(app, options, stopping);
  server.on('request', answer);
  server.on('checkContinue', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Without a handshake nothing can be written, and what is never written would keep the connection.
    const isLost = error.code === 'ECONNRESET' || error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT';
    if (isLost || !socket.writable) socket.destroy();
    else socket.end(invalidRequestAnswer(error.code, secure));
  });
  await bind(server, options);
  const { address, family, port: actual } = server.address() as AddressInfo;
  const name = family === 'IPv6' ? `[${address}]` : address;
  return {
    server,
    address: `${tls === undefined ? 'http' : 'https'}://${name}:${actual}`,
    stop: (milliseconds) => stopListening(server, connections, milliseconds),
  };
}

/** The open connections of a server: Node's own list has those that have sent a request. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Refuses an address that cannot be listened at, before anything is made or upgraded for it. */
export async function requireFreePort(
  address: Pick<ListenOptions, 'host' | 'port'>,
): Promise<void> {
  const server = createSocketServer();
  await bind(server, address);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function bind(
  server: SocketServer,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(listenFailure(error, host, port)),
    );
    server.listen(port, host, resolve);
  });
}

/** Lets running requests finish for a time; then closes all connections. */
async function stopListening(
  server: Server,
  connections: ReadonlySet<Socket>,
  milliseconds: number,
): Promise<void> {
  // A connection becomes idle when its request ends, which may be after the server has closed.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => {
    for (const socket of connections) socket.destroy();
  }, milliseconds);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  clearTimeout(cut);
}

/** HTTP status by Node's error code; 400 for other codes. */
const statusOfError: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The answer to bytes that are not an HTTP request. */
function invalidRequestAnswer(code: string | undefined, secure: boolean): string {
  const status = statusOfError[code ?? ''] ?? 400;
  const problem: Problem = {
    schema: 'suffice/problem@1',
    code: 'bad-request',
    problem: 'the request is not valid HTTP',
    remedy: 'check the client, and whether it should use TLS',
  };
  const body = JSON.stringify(problem);
  const headers = {
    ...securityHeaders(secure),
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
    'Content-Length': new TextEncoder().encode(body).length,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const remedy = 'give a certificate and its key, files in PEM';
    throw new UsageError(`${path}: cannot be read`, remedy, { name: 'tls' });
  }
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new UsageError(`port ${port} is in use`, 'choose another port, or 0 for any free port', {
      name: 'port',
      value: 0,
    });
  }
  if (error.code === 'EACCES') {
    const problem = `port ${port} is not allowed here`;
    return new UsageError(problem, 'choose a port above 1023', { name: 'port' });
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new UsageError(
      `${host} is not an address of this machine`,
      'listen at 0.0.0.0 for all its addresses, or at 127.0.0.1 for this machine only',
      { name: 'host', value: '127.0.0.1' },
    );
  }
  return error;
}
