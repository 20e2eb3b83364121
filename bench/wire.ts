import { connect, type Socket } from 'node:net';

/** The answer to one request. */
export interface WireAnswer {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

/** One connection that sends a request at a time: HTTP/1.1 by hand, so that the sites leave the CPU to the coordinator. */
export interface Wire {
  ask(method: string, path: string, headers: string, body: Uint8Array): Promise<WireAnswer>;
  end(): void;
}

/** Opens a connection. */
export function openWire(address: string): Wire {
  const { hostname, port } = new URL(address);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = Buffer.alloc(0);
  let waiting: { done(answer: WireAnswer): void; fail(error: Error): void } | undefined;
  let started = 0;
  const fail = (error: Error) => {
    waiting?.fail(error);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection ended')));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const text = received.toString('latin1', 0, head);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (received.length < head + 4 + length) return;
    const body = received.toString('utf8', head + 4, head + 4 + length);
    received = received.subarray(head + 4 + length);
    const status = Number(text.slice(9, 12));
    waiting?.done({ status, text: body, milliseconds: performance.now() - started });
    waiting = undefined;
  });
  return {
    ask(method, path, headers, body) {
      started = performance.now();
      return new Promise((resolve, reject) => {
        waiting = { done: resolve, fail: reject };
        const head = `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
        socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
      });
    },
    end() {
      waiting = undefined;
      socket.destroy();
    },
  };
}
