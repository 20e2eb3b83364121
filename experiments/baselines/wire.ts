import type { Baseline } from './baseline.ts';

/** What a message of a method says: its round, and vectors by name. */
export interface Message {
  readonly round: number;
  readonly vectors: Readonly<Record<string, Float64Array>>;
}

/**
 * A message as a safetensors file, as contributions are: u64 header length, JSON header, little-endian float64. It carries no
 * signature, no study and no site, which favours the methods that send many.
 */
export function encodeMessage({ round, vectors }: Message): Uint8Array {
  let to = 0;
  const tensors = Object.entries(vectors).map(([name, { length }]) => {
    const from = to;
    to += length * 8;
    return [name, { dtype: 'F64', shape: [length], data_offsets: [from, to] }];
  });
  const header = { __metadata__: { round: String(round) }, ...Object.fromEntries(tensors) };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(start + to);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(start - 8), true);
  file.fill(0x20, 8, start);
  file.set(json, 8);
  let at = start;
  for (const vector of Object.values(vectors)) {
    for (const value of vector) {
      view.setFloat64(at, value, true);
      at += 8;
    }
  }
  return file;
}

/** The message that `encodeMessage` wrote. */
export function decodeMessage(file: Uint8Array): Message {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: meta, ...tensors } = JSON.parse(
    new TextDecoder().decode(file.subarray(8, start)),
  ) as { __metadata__: { round: string } } & Record<string, { data_offsets: [number, number] }>;
  const vectors = Object.entries(tensors).map(([name, tensor]) => {
    const [from, to] = tensor.data_offsets as [number, number];
    const value = (_: unknown, i: number) => view.getFloat64(start + from + 8 * i, true);
    return [name, Float64Array.from({ length: (to - from) / 8 }, value)];
  });
  return { round: Number(meta.round), vectors: Object.fromEntries(vectors) };
}

/** Bytes over all clients, to the server and from it. */
export interface Traffic {
  readonly up: number;
  readonly down: number;
}

export function bothWays({ up, down }: Traffic): number {
  return up + down;
}

/** What so many rounds take: every round's message encoded, since its number is in it; what the numbers are changes no length. */
export function trafficOf(
  { up, down, firstDown = down }: Pick<Baseline, 'up' | 'down' | 'firstDown'>,
  d: number,
  clients: number,
  rounds: number,
): Traffic {
  const bytes = (names: readonly string[], first: readonly string[]) => {
    const vectors = vectorsOf(names, d);
    let sum = 0;
    for (let round = 1; round <= rounds; round++) {
      const sent = round === 1 ? vectorsOf(first, d) : vectors;
      sum += clients * encodeMessage({ round, vectors: sent }).length;
    }
    return sum;
  };
  return { up: bytes(up, up), down: bytes(down, firstDown) };
}

function vectorsOf(names: readonly string[], d: number): Message['vectors'] {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(d)]));
}
