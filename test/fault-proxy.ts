import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Chance } from './chance.ts';

const faults = ['none', 'cut-request', 'cut-answer', 'unanswered', 'slow', 'twice'] as const;

/**
 * What becomes of one exchange on a connection: cut after some bytes of the request or of the
 * answer, cut when the coordinator has carried it out but before a byte of its answer, passed on
 * in dribbles, or delivered on two connections at the same time.
 */
export type Fault = (typeof faults)[number];

/** What came back for a request that was delivered twice, as far as it came. */
export interface Twins {
  first: string;
  second: string;
}

/** A proxy on loopback that makes connections bad. */
export interface FaultProxy {
  readonly address: string;
  /** How often each fault has struck. */
  readonly struck: Readonly<Record<Fault, number>>;
  readonly twins: readonly Twins[];
}

/** Requests and answers have a few hundred bytes up to a few thousand. */
const MOST_BYTES = 1500;
const DRIBBLE = { bytes: 120, milliseconds: 4 };

/** Stands before a coordinator until the test ends. */
export async function faultProxy(target: string, chance: Chance): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const struck = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>;
  const twins: Twins[] = [];
  const sockets = new Set<Socket>();
  const kept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // 'close' follows
    return socket;
  };
  const draw = (): Exchange => {
    const fault = chance.pick(faults);
    struck[fault]++;
    return { fault, left: 1 + chance.below(MOST_BYTES), isAnswered: false };
  };
  const server = createServer((client) =>
    relay(
      kept(client),
      () => kept(connect(Number(port), hostname)),
      draw,
      (pair) => twins.push(pair),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const own = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${own.port}`, struck, twins };
}

/** A request and its answer. */
interface Exchange {
  readonly fault: Fault;
  /** Bytes that still pass before a cut. */
  left: number;
  isAnswered: boolean;
  twin?: { readonly socket: Socket; readonly answers: Twins };
}

/** Passes one connection on; each exchange on it draws its own fault. */
function relay(
  client: Socket,
  dial: () => Socket,
  draw: () => Exchange,
  tell: (twins: Twins) => void,
): void {
  const coordinator = dial();
  const up = passage(coordinator);
  const down = passage(client);
  let exchange: Exchange | undefined;
  const cut = () => {
    coordinator.destroy();
    client.resetAndDestroy();
  };
  client.on('close', () => coordinator.destroy());
  coordinator.on('close', () => down(undefined, 'none').then(() => client.destroy()));
  const pass = async (way: Passage, bytes: Buffer, now: Exchange, cutting: Fault) => {
    const allowed = now.fault === cutting ? bytes.subarray(0, now.left) : bytes;
    now.left -= now.fault === cutting ? allowed.length : 0;
    await way(allowed, now.fault);
    if (allowed.length < bytes.length) cut();
  };

  client.on('data', (bytes) => {
    if (exchange === undefined || exchange.isAnswered) {
      exchange = draw();
      if (exchange.fault === 'twice') exchange.twin = twin(dial(), tell);
    }
    exchange.twin?.socket.write(bytes);
    void pass(up, bytes, exchange, 'cut-request');
  });
  coordinator.on('data', (bytes) => {
    if (exchange === undefined) return;
    exchange.isAnswered = true;
    if (exchange.fault === 'unanswered') {
      cut();
      return;
    }
    if (exchange.twin !== undefined) exchange.twin.answers.first += bytes;
    void pass(down, bytes, exchange, 'cut-answer');
  });
}

/** Sends bytes on in their order; resolves when these are sent. */
type Passage = (bytes: Buffer | undefined, fault: Fault) => Promise<void>;

function passage(to: Socket): Passage {
  let before: Promise<void> = Promise.resolve();
  const send = async (bytes: Buffer, step: number) => {
    for (let from = 0; from < bytes.length; from += step) {
      if (to.destroyed) return;
      to.write(bytes.subarray(from, from + step));
      if (step < bytes.length) {
        await new Promise((resolve) => setTimeout(resolve, DRIBBLE.milliseconds));
      }
    }
  };
  return (bytes, fault) => {
    const step = fault === 'slow' ? DRIBBLE.bytes : Number.POSITIVE_INFINITY;
    before = before.then(() => (bytes === undefined ? undefined : send(bytes, step)));
    return before;
  };
}

/** A second connection for the same request; what it is answered is told and goes nowhere else. */
function twin(socket: Socket, tell: (twins: Twins) => void): NonNullable<Exchange['twin']> {
  const answers: Twins = { first: '', second: '' };
  tell(answers);
  socket.on('data', (bytes) => {
    answers.second += bytes;
  });
  return { socket, answers };
}
