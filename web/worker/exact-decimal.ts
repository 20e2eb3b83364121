import { type RingVector, ringEntry } from '../../src/statistic/ring.ts';

/** An entry N / 2^bits of a statistic as a decimal number, to its last digit. */
export function exactDecimal(
  values: RingVector,
  words: number,
  index: number,
  bits: number,
): string {
  const entry = ringEntry(values, words, index);
  const size = entry < 0n ? -entry : entry;
  const whole = size >> BigInt(bits);
  const rest = size - (whole << BigInt(bits));
  // rest / 2^bits = rest · 5^bits / 10^bits.
  const digits = (rest * 5n ** BigInt(bits)).toString().padStart(bits, '0').replace(/0+$/, '');
  return `${entry < 0n ? '−' : ''}${whole}${digits === '' ? '' : `.${digits}`}`;
}
