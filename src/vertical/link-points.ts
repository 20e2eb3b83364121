import { ristretto255 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ELEMENT_BYTES, littleEndian, ristrettoGroup } from '../cipher/ristretto255.ts';
import { type KeyOf, type LinkTokens, TOKEN_BYTES } from './link-tokens.ts';
import { normalisedKey } from './normalised-key.ts';

/** Bytes of a point: an encoded element of ristretto255. */
export const POINT_BYTES: number = ELEMENT_BYTES;

/** Most points of a party: rows times passes. Each takes the other party about a millisecond. */
export const MOST_POINTS = 1_000_000;

/** Points of a party's rows for every pass: row r of pass p begins at (p·rows + r)·32. */
export interface LinkPoints {
  readonly rows: number;
  readonly passes: number;
  readonly bytes: Uint8Array;
}

/** Long work, in steps: yields the number of points that are done. */
export type PointWork<T> = Generator<number, T, void>;

/** A party's secret scalar, from 1 to the order less 1. */
export function pointScalar(secret: Uint8Array): bigint {
  const bytes = hmac(sha512, secret, utf8ToBytes('suffice/vertical@1 scalar'));
  return (littleEndian(bytes) % (ristretto255.Point.Fn.ORDER - 1n)) + 1n;
}

/**
 * A party's own points, in its order of rows: the hash of the pass and the normalised key, times the secret scalar. A row without a key,
 * and each of several rows that share one, has a random point in its place: it matches nothing, and looks like any other.
 */
export function* ownPoints(
  secret: Uint8Array,
  study: string,
  rows: number,
  passes: number,
  keyOf: KeyOf,
): PointWork<LinkPoints> {
  const group = ristrettoGroup();
  const scalar = ristretto255.Point.Fn.toBytes(pointScalar(secret));
  const bytes = new Uint8Array(passes * rows * POINT_BYTES);
  for (let pass = 0; pass < passes; pass++) {
    const keys = Array.from({ length: rows }, (_, row) => {
      const key = keyOf(pass, row)?.map(normalisedKey);
      return key === undefined || key.includes('') ? undefined : JSON.stringify([pass, ...key]);
    });
    const times = new Map<string | undefined, number>();
    for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1);
    for (const [row, key] of keys.entries()) {
      const uniform =
        key !== undefined && times.get(key) === 1
          ? sha512(utf8ToBytes(`suffice/vertical@1 point ${study} ${key}`))
          : hmac(sha512, secret, utf8ToBytes(`no key ${pass} ${row}`));
      const point = group.multiply(group.fromUniform(uniform), scalar);
      // Nobody finds a hash that is the identity: a try succeeds once in 2²⁵².
      if (point === undefined) throw new RangeError('the hash of a key is the identity');
      bytes.set(point, (pass * rows + row) * POINT_BYTES);
      yield pass * rows + row + 1;
    }
  }
  return { rows, passes, bytes };
}

/** What is wrong with points that came from outside. */
export interface PointsProblem {
  readonly wrong: string;
}

/**
 * The points of another party, each times the own scalar, in the same order. A problem, if they are not points of as many rows in every
 * pass, or one of them is not canonical, is the identity, or is there twice.
 */
export function* doubledPoints(
  secret: Uint8Array,
  received: Uint8Array,
  passes: number,
): PointWork<LinkPoints | PointsProblem> {
  const rows = received.length / (POINT_BYTES * passes);
  const problem = pointsProblem(received, passes);
  if (problem !== undefined) return problem;
  const group = ristrettoGroup();
  const scalar = ristretto255.Point.Fn.toBytes(pointScalar(secret));
  const bytes = new Uint8Array(received.length);
  for (let at = 0; at < received.length; at += POINT_BYTES) {
    const point = group.multiply(received.subarray(at, at + POINT_BYTES), scalar);
    if (point === undefined) return { wrong: 'one of them is no point' };
    bytes.set(point, at);
    yield at / POINT_BYTES + 1;
  }
  return { rows, passes, bytes };
}

/** What is wrong with received points, before any is decoded; undefined if nothing is. */
export function pointsProblem(received: Uint8Array, passes: number): PointsProblem | undefined {
  const rows = received.length / (POINT_BYTES * passes);
  if (!Number.isInteger(rows)) return { wrong: 'they have a wrong length' };
  if (rows * passes > MOST_POINTS) return { wrong: `there are more than ${MOST_POINTS} of them` };
  const seen = new Set<string>();
  for (let at = 0; at < received.length; at += POINT_BYTES) seen.add(pointText(received, at));
  return seen.size === rows * passes ? undefined : { wrong: 'one of them is there twice' };
}

/** Tokens of points that both parties have multiplied. */
export function tokensOfPoints({ rows, passes, bytes }: LinkPoints): LinkTokens {
  const tokens = new Uint8Array(rows * passes * TOKEN_BYTES);
  for (let k = 0; k < rows * passes; k++) {
    const point = bytes.subarray(k * POINT_BYTES, (k + 1) * POINT_BYTES);
    tokens.set(sha256(point).subarray(0, TOKEN_BYTES), k * TOKEN_BYTES);
  }
  return { rows, passes, bytes: tokens };
}

/** The rows in the order of their first points, which says nothing about the order in the file. */
export function inPointOrder({ rows, bytes }: LinkPoints): Uint32Array {
  const texts = Array.from({ length: rows }, (_, row) => pointText(bytes, row * POINT_BYTES));
  return Uint32Array.from(texts.keys()).sort((a, b) =>
    texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0,
  );
}

/** The points in a new order of the rows. */
export function pointsAt({ rows, passes, bytes }: LinkPoints, order: Uint32Array): LinkPoints {
  const moved = new Uint8Array(bytes.length);
  for (let pass = 0; pass < passes; pass++) {
    order.forEach((row, k) => {
      const from = (pass * rows + row) * POINT_BYTES;
      moved.set(bytes.subarray(from, from + POINT_BYTES), (pass * rows + k) * POINT_BYTES);
    });
  }
  return { rows, passes, bytes: moved };
}

function pointText(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + POINT_BYTES));
}
