import type { Kernels } from './kernels.ts';

const LITERAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The value of a decimal literal with the given mark, rounded as `Number` rounds it; undefined for any other
 * text ("", "0x1", "Infinity", "1_000"). The specification of the kernel `scanNumber`.
 */
export function parseDecimal(text: string, mark: '.' | ',' = '.'): number | undefined {
  if (mark === ',') {
    if (text.includes('.')) return undefined;
    text = text.replace(',', '.');
  }
  return LITERAL.test(text) ? Number(text) : undefined;
}

const SMALLEST_POWER = -342;
const LARGEST_POWER = 308;

function bitLength(n: bigint): bigint {
  return BigInt(n.toString(2).length);
}

/**
 * 5^q for q = −342 … 308 as 128-bit integers with the top bit set, high word first: truncated for q ≥ 0, rounded up
 * for q < 0 (Lemire 2021, §5).
 */
export function powersOfFive(): BigUint64Array {
  const table = new BigUint64Array(2 * (LARGEST_POWER - SMALLEST_POWER + 1));
  const put = (q: number, power: bigint) => {
    const excess = bitLength(power) - 128n;
    const word = excess > 0n ? power >> excess : power << -excess;
    table[2 * (q - SMALLEST_POWER)] = word >> 64n;
    table[2 * (q - SMALLEST_POWER) + 1] = word & 0xffffffffffffffffn;
  };
  let power = 1n;
  for (let q = 0; q <= -SMALLEST_POWER; q++, power *= 5n) {
    if (q <= LARGEST_POWER) put(q, power);
    if (q === 0) continue;
    const bits = bitLength(power);
    put(-q, (1n << (q <= 27 ? bits + 127n : 2n * bits + 128n)) / power + 1n);
  }
  return table;
}

let cachedPowers: BigUint64Array | undefined;

/** Gives a new instance its table of powers; required once before any text kernel. */
export function preparePowers(kernels: Kernels): void {
  cachedPowers ??= powersOfFive();
  const pointer = kernels.allocate(cachedPowers.byteLength);
  new BigUint64Array(kernels.memory.buffer, pointer, cachedPowers.length).set(cachedPowers);
  kernels.call.usePowersOfFive!(pointer);
}

/** Reads literals that the kernel cannot: with more than 19 digits, subnormal or huge. */
export function longDecimal(bytes: Uint8Array): number {
  return Number(new TextDecoder().decode(bytes).replace(',', '.'));
}
