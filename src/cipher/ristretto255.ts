import { pippenger } from '@noble/curves/abstract/curve.js';
import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';

/** Bytes of an encoded element, and of a number. */
export const ELEMENT_BYTES = 32;

/** Bytes of a weight in a weighted sum. */
export const WEIGHT_BYTES = 16;

/** The group ristretto255 (RFC 9496) on encoded elements. Every implementation gives the same bytes. */
export interface Ristretto255 {
  /** The element that 64 uniform bytes give (§4.3.4). */
  fromUniform(uniform: Uint8Array): Uint8Array;
  /** Whether the bytes are the canonical encoding of an element (§4.3.1), and not of the identity. */
  isElement(bytes: Uint8Array): boolean;
  /** An element times a number from 1 to the order less 1, little-endian; undefined if the bytes are no element. */
  multiply(element: Uint8Array, number: Uint8Array): Uint8Array | undefined;
  /** Σ wᵢ·Pᵢ of public elements and public weights of 16 bytes above 0; undefined if one is no element. */
  weightedSum(elements: Uint8Array, weights: Uint8Array): Uint8Array | undefined;
}

type Point = ReturnType<typeof ristretto255.Point.fromBytes>;

/** The element in 32 bytes; undefined if they are not its canonical encoding, or encode the identity. */
export function elementIn(bytes: Uint8Array): Point | undefined {
  try {
    const point = ristretto255.Point.fromBytes(bytes);
    return point.is0() ? undefined : point;
  } catch {
    return undefined;
  }
}

/** A number from its bytes, the lowest first. */
export function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The group in JavaScript. */
export const portableRistretto255: Ristretto255 = {
  fromUniform: (uniform) => ristretto255_hasher.deriveToCurve!(uniform).toBytes(),
  isElement: (bytes) => elementIn(bytes) !== undefined,
  multiply: (element, number) => elementIn(element)?.multiply(littleEndian(number)).toBytes(),
  weightedSum(elements, weights) {
    const points: Point[] = [];
    const numbers: bigint[] = [];
    for (let k = 0; k < elements.length / ELEMENT_BYTES; k++) {
      const point = elementIn(elements.subarray(k * ELEMENT_BYTES, (k + 1) * ELEMENT_BYTES));
      if (point === undefined) return undefined;
      points.push(point);
      numbers.push(littleEndian(weights.subarray(k * WEIGHT_BYTES, (k + 1) * WEIGHT_BYTES)));
    }
    return pippenger(ristretto255.Point, points, numbers).toBytes();
  },
};

let group = portableRistretto255;

/** Switches to another implementation. */
export function useRistretto255(other: Ristretto255): void {
  group = other;
}

/** The implementation in use. */
export function ristrettoGroup(): Ristretto255 {
  return group;
}
