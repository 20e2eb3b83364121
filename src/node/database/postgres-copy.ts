import { connect, type Socket } from 'node:net';
import type pg from 'pg';

/** What a COPY needs of a client; the package's types leave it out. */
interface RawClient {
  readonly connection: RawConnection;
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

interface RawConnection {
  readonly stream: Socket;
  query(text: string): void;
}

/** Messages of the protocol, by their first byte (PostgreSQL manual, "Message Formats"). */
const COPY_OUT = 72; // H
const COPY_DATA = 100; // d
const COPY_DONE = 99; // c
const NOTICE = 78; // N
const HEAD = 5;

/**
 * Runs `COPY … TO STDOUT` and hands its bytes on, about as the socket delivers them. The package makes an object for every
 * row, so it reads none of these messages; it goes on with the first one that is not about the copy. Where `push` throws, the
 * query is cancelled at the server and the connection closed.
 */
export function copyOut(
  client: pg.Client,
  sql: string,
  push: (bytes: Uint8Array) => void,
  refusal: (error: unknown) => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = {
      submit(connection: RawConnection) {
        const { stream } = connection;
        const theirs = stream.listeners('data') as ((bytes: Buffer) => void)[];
        stream.removeAllListeners('data');
        const take = payloads(push);
        const hear = (bytes: Buffer) => {
          let rest: Buffer | undefined;
          try {
            rest = take(bytes);
          } catch (error) {
            stream.off('data', hear);
            reject(error);
            void cancelQuery(client);
            stream.destroy();
            return;
          }
          if (rest === undefined) return;
          stream.off('data', hear);
          for (const listener of theirs) {
            stream.on('data', listener);
            listener(rest);
          }
        };
        stream.on('data', hear);
        connection.query(sql);
        return null;
      },
      handleError: (error: unknown) => reject(refusal(error)),
      handleReadyForQuery: () => resolve(),
      handleCommandComplete() {},
      handleRowDescription() {},
      handleDataRow() {},
    };
    client.query(query as unknown as pg.Submittable);
  });
}

/** Takes bytes of the socket and pushes the rows in them; returns what follows the copy, once it is there. */
function payloads(push: (bytes: Uint8Array) => void): (bytes: Buffer) => Buffer | undefined {
  let left = 0; // bytes of the current message that are to come
  let isData = false;
  let held: Buffer = Buffer.alloc(0); // an incomplete head
  let space = Buffer.alloc(0);
  return (arrived) => {
    const bytes = held.length === 0 ? arrived : Buffer.concat([held, arrived]);
    held = Buffer.alloc(0);
    if (space.length < bytes.length) space = Buffer.allocUnsafe(bytes.length);
    let filled = 0;
    let at = 0;
    while (at < bytes.length) {
      if (left > 0) {
        const end = Math.min(bytes.length, at + left);
        if (isData) filled += bytes.copy(space, filled, at, end);
        left -= end - at;
        at = end;
        continue;
      }
      if (bytes.length - at < HEAD) {
        held = Buffer.from(bytes.subarray(at));
        break;
      }
      const kind = bytes[at];
      if (kind !== COPY_DATA && kind !== COPY_OUT && kind !== COPY_DONE && kind !== NOTICE) {
        if (filled > 0) push(space.subarray(0, filled));
        return bytes.subarray(at);
      }
      isData = kind === COPY_DATA;
      left = bytes.readUInt32BE(at + 1) - 4;
      at += HEAD;
    }
    if (filled > 0) push(space.subarray(0, filled));
    return undefined;
  };
}

const CANCEL_REQUEST = 80877102;

/** Asks the server to end the query of a client (PostgreSQL manual, "Canceling Requests in Progress"). */
export function cancelQuery(client: pg.Client): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as RawClient;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect(port, host || 'localhost');
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
    socket.end(request);
  });
}
