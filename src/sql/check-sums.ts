/** The prime of the check sums. */
export const PRIME = 1_000_003;

/** The factor of a column in the check sum of a row: any fixed numbers that differ. */
export function checkFactor(column: number): number {
  return 1 + ((column * 7919 + 4409) % 999_979);
}

/** The remainder from 0 to PRIME − 1. */
export function residue(value: bigint): bigint {
  const prime = BigInt(PRIME);
  return ((value % prime) + prime) % prime;
}

/** 2^shift modulo the prime. */
export function powerResidue(shift: number): number {
  return Number(residue(1n << BigInt(shift)));
}
