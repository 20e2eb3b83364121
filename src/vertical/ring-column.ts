/**
 * A column of integers modulo 2^(8·width), `width` little-endian bytes each. A narrower ring is a reduction of a wider one, so a product
 * modulo 2^(8·k) needs the lowest k bytes of its factors only.
 */
export interface RingColumn {
  readonly width: number;
  readonly bytes: Uint8Array;
}

/** Rows of a column. */
export function ringRows({ width, bytes }: RingColumn): number {
  return bytes.length / width;
}

/** Whole numbers below 2⁵³ in size as a column. */
export function ringColumn(values: Float64Array, width: number): RingColumn {
  const bytes = new Uint8Array(values.length * width);
  for (let r = 0; r < values.length; r++) {
    let rest = values[r];
    const at = r * width;
    for (let k = 0; k < width; k += 3) {
      // Three bytes at a time; the rest stays whole, and −1 at the end extends the sign.
      const high = Math.floor(rest / 16777216);
      const low = rest - high * 16777216;
      bytes[at + k] = low;
      if (k + 1 < width) bytes[at + k + 1] = low >> 8;
      if (k + 2 < width) bytes[at + k + 2] = low >> 16;
      rest = high;
    }
  }
  return { width, bytes };
}

/** a − b, entry by entry. */
export function ringDifference(a: RingColumn, b: RingColumn): RingColumn {
  const { width } = a;
  if (b.width !== width || b.bytes.length !== a.bytes.length) {
    throw new RangeError('columns must have one shape');
  }
  const bytes = new Uint8Array(a.bytes.length);
  for (let at = 0; at < bytes.length; at += width) {
    let borrow = 0;
    for (let k = at; k < at + width; k++) {
      const difference = a.bytes[k] - b.bytes[k] - borrow;
      bytes[k] = difference;
      borrow = difference < 0 ? 1 : 0;
    }
  }
  return { width, bytes };
}

/** Some little-endian bytes as a whole number from 0. */
export function unsigned(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let k = bytes.length - 1; k >= 0; k--) value = (value << 8n) | BigInt(bytes[k]);
  return value;
}
