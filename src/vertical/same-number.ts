import { ristretto255 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { elementIn, littleEndian, ristrettoGroup, WEIGHT_BYTES } from '../cipher/ristretto255.ts';
import { POINT_BYTES, type PointWork, pointScalar } from './link-points.ts';

/*
 * That all points of a list were multiplied by one number k, and nothing about k: a proof of Chaum and Pedersen (1992) about
 *   M = Σ dᵢ Pᵢ  and  Z = Σ dᵢ Dᵢ,  where dᵢ follow from all points,
 * as in RFC 9497, §2.2. Without it a party could send back, in place of a row's point, the point of a row of its own, and so link
 * people whom it does not have. The proof names its party: else one that offers a copy of the other's points could send the
 * other's own answer back, proof and all.
 */

/** Bytes of a proof: the public point k·G, the challenge, the answer. */
export const PROOF_BYTES: number = 3 * POINT_BYTES;

/** Whose proof it is, and in which study. */
export interface ProofOwner {
  readonly study: string;
  /** The party that has multiplied. */
  readonly party: string;
}

const { BASE, ZERO, Fn } = ristretto255.Point;
type Point = typeof BASE;

/** The proof that `multiplied` are `points` times the number of a secret. The same each time: a killed process sends the same bytes. */
export function* sameNumberProof(
  secret: Uint8Array,
  owner: ProofOwner,
  points: Uint8Array,
  multiplied: Uint8Array,
): PointWork<Uint8Array> {
  const number = pointScalar(secret);
  const key = BASE.multiply(number).toBytes();
  const seed = seedOf(owner, key, points, multiplied);
  const sum = yield* weightedSum(seed, points);
  if (sum === undefined) throw new RangeError('only points have a proof');
  const once = numberOf(hmac(sha512, secret, concatBytes(utf8ToBytes('proof'), seed)));
  const asked = challenge(seed, [
    sum,
    sum.multiplyUnsafe(number),
    BASE.multiply(once),
    sum.multiplyUnsafe(once),
  ]);
  const answer = Fn.sub(once, Fn.mul(asked, number));
  return concatBytes(key, Fn.toBytes(asked), Fn.toBytes(answer));
}

/** Whether a proof shows that its owner has multiplied all points by one number. */
export function* isSameNumber(
  owner: ProofOwner,
  points: Uint8Array,
  multiplied: Uint8Array,
  proof: Uint8Array,
): PointWork<boolean> {
  const key = elementIn(proof.subarray(0, POINT_BYTES));
  const asked = numberIn(proof.subarray(POINT_BYTES, 2 * POINT_BYTES));
  const answer = numberIn(proof.subarray(2 * POINT_BYTES));
  if (proof.length !== PROOF_BYTES || key === undefined) return false;
  if (asked === undefined || answer === undefined) return false;
  const seed = seedOf(owner, key.toBytes(), points, multiplied);
  const sum = yield* weightedSum(seed, points);
  const product = yield* weightedSum(seed, multiplied);
  if (sum === undefined || product === undefined) return false;
  const first = BASE.multiplyUnsafe(answer).add(key.multiplyUnsafe(asked));
  const second = sum.multiplyUnsafe(answer).add(product.multiplyUnsafe(asked));
  return challenge(seed, [sum, product, first, second]) === asked;
}

function seedOf(
  { study, party }: ProofOwner,
  key: Uint8Array,
  ...lists: readonly Uint8Array[]
): Uint8Array {
  const label = JSON.stringify(['suffice/vertical@1 same number', study, party]);
  return sha512(concatBytes(sha512(utf8ToBytes(label)), key, ...lists.map((list) => sha512(list))));
}

/** Points that are added at once: some tens of milliseconds. */
const CHUNK = 256;

/** Σ dᵢ Pᵢ with numbers of 128 bits that nobody can choose; undefined if one is no point. */
function* weightedSum(seed: Uint8Array, bytes: Uint8Array): PointWork<Point | undefined> {
  let sum: Point = ZERO;
  const count = bytes.length / POINT_BYTES;
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK);
    const weights = new Uint8Array((to - from) * WEIGHT_BYTES);
    for (let k = from; k < to; k++) {
      const place = new Uint8Array(Uint32Array.of(k).buffer);
      const weight = sha256(concatBytes(seed, place)).subarray(0, WEIGHT_BYTES);
      weights.set(weight, (k - from) * WEIGHT_BYTES);
    }
    const points = bytes.subarray(from * POINT_BYTES, to * POINT_BYTES);
    const part = ristrettoGroup().weightedSum(points, weights);
    if (part === undefined) return undefined;
    sum = sum.add(ristretto255.Point.fromBytes(part));
    yield to;
  }
  return sum;
}

function challenge(seed: Uint8Array, points: readonly Point[]): bigint {
  return numberOf(sha512(concatBytes(seed, ...points.map((point) => point.toBytes()))));
}

/** 64 uniform bytes as a number below the order. */
const numberOf = (uniform: Uint8Array): bigint => Fn.create(littleEndian(uniform));

function numberIn(bytes: Uint8Array): bigint | undefined {
  const number = littleEndian(bytes);
  return number < Fn.ORDER ? number : undefined;
}
