import { ELEMENT_BYTES, type Ristretto255, useRistretto255, WEIGHT_BYTES } from './ristretto255.ts';

/** What is used of libsodium: C functions on addresses in the memory of its module. Each returns 0, or −1 where it refuses. */
interface Sodium {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _crypto_core_ristretto255_from_hash(element: number, uniform: number): number;
  _crypto_core_ristretto255_is_valid_point(element: number): 0 | 1;
  _crypto_core_ristretto255_add(sum: number, a: number, b: number): number;
  _crypto_scalarmult_ristretto255(product: number, number: number, element: number): number;
}

const UNIFORM_BYTES = 64;

let switching: Promise<void> | undefined;

/**
 * Switches to libsodium's ristretto255 in WASM: nine times faster than JavaScript, and in a time that does not depend on the secret
 * number. Where it cannot be loaded, JavaScript goes on. For parties that multiply thousands of elements.
 */
export function useSodiumRistretto255(): Promise<void> {
  switching ??= sodiumRistretto255().then(useRistretto255, () => {});
  return switching;
}

/** The group in libsodium's WASM. */
export async function sodiumRistretto255(): Promise<Ristretto255> {
  const { default: load } = await import('libsodium-sumo');
  const sodium = (await load({})) as Sodium;
  const [element, number, product, sum] = [0, 0, 0, 0].map(() => sodium._malloc(ELEMENT_BYTES));
  const uniform = sodium._malloc(UNIFORM_BYTES);
  // The memory may have grown: its view is asked for each time.
  const write = (at: number, bytes: Uint8Array, length: number) => {
    if (bytes.length !== length)
      throw new RangeError(`${length} bytes are needed, not ${bytes.length}`);
    sodium.HEAPU8.set(bytes, at);
  };
  const read = (at: number) => sodium.HEAPU8.slice(at, at + ELEMENT_BYTES);
  const forget = (at: number, length: number) => sodium.HEAPU8.fill(0, at, at + length);
  const isIdentity = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
  return {
    fromUniform(bytes) {
      write(uniform, bytes, UNIFORM_BYTES);
      sodium._crypto_core_ristretto255_from_hash(element, uniform);
      return read(element);
    },
    isElement(bytes) {
      if (bytes.length !== ELEMENT_BYTES || isIdentity(bytes)) return false;
      write(element, bytes, ELEMENT_BYTES);
      return sodium._crypto_core_ristretto255_is_valid_point(element) === 1;
    },
    multiply(bytes, by) {
      if (bytes.length !== ELEMENT_BYTES) return undefined;
      write(element, bytes, ELEMENT_BYTES);
      write(number, by, ELEMENT_BYTES);
      const refused = sodium._crypto_scalarmult_ristretto255(product, number, element) !== 0;
      forget(number, ELEMENT_BYTES);
      return refused ? undefined : read(product);
    },
    weightedSum(elements, weights) {
      forget(sum, ELEMENT_BYTES); // the identity
      forget(number, ELEMENT_BYTES);
      for (let k = 0; k < elements.length / ELEMENT_BYTES; k++) {
        const one = elements.subarray(k * ELEMENT_BYTES, (k + 1) * ELEMENT_BYTES);
        write(element, one, ELEMENT_BYTES);
        const weight = weights.subarray(k * WEIGHT_BYTES, (k + 1) * WEIGHT_BYTES);
        write(number, weight, WEIGHT_BYTES);
        if (sodium._crypto_scalarmult_ristretto255(product, number, element) !== 0)
          return undefined;
        sodium._crypto_core_ristretto255_add(sum, sum, product);
      }
      return read(sum);
    },
  };
}
