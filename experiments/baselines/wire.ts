import type { Baseline } from './baseline.ts';

/** A message of a method: its round, and vectors by name. */
export interface WireMessage {
  readonly round: number;
  readonly vectors: Readonly<Record<string, Float64Array>>;
}

/**
 * A message as a safetensors file, as contributions are: u64 header length, JSON header, little-endian float64. It has no
 * signature, study or site, which favours methods with many messages.
 */
export function encodeMessage({ round, vectors }: WireMessage): Uint8Array {
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
export function decodeMessage(file: Uint8Array): WireMessage {
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
export interface WireTraffic {
  readonly up: number;
  readonly down: number;
}

export function bothWays({ up, down }: WireTraffic): number {
  return up + down;
}

/** Bytes of a number of rounds: every message is encoded, because it contains its round; the values do not change its length. */
export function trafficOf(
  { up, down, firstDown = down }: Pick<Baseline, 'up' | 'down' | 'firstDown'>,
  d: number,
  clients: number,
  rounds: number,
): WireTraffic {
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

function vectorsOf(names: readonly string[], d: number): WireMessage['vectors'] {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(d)]));
}
