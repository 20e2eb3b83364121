import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy before a database that can stop to pass anything on, as a partition of the network does. */
export interface FreezingProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  freeze(): void;
  thaw(): void;
}

/** Stands before a database until the test ends. */
export async function freezingProxy(target: string): Promise<FreezingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (frozen) socket.pause();
    return socket;
  };
  const server = createServer((client) => {
    const database = kept(connect(Number(port), hostname));
    kept(client);
    client.on('data', (bytes) => database.write(bytes));
    database.on('data', (bytes) => client.write(bytes));
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    if (frozen) for (const socket of [client, database]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
