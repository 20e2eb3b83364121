/** Rows of a block as bits, 32 in a word; bits after the last row are 0. */
export type RowBits = Uint32Array;

export function isAt(bits: RowBits, row: number): boolean {
  return ((bits[row >>> 5] >>> (row & 31)) & 1) === 1;
}

/** The rows outside a set. */
export function otherRows(bits: RowBits, rows: number): RowBits {
  const others = bits.map((word) => ~word);
  if (rows % 32 !== 0) others[others.length - 1] &= 2 ** (rows % 32) - 1;
  return others;
}

/** Calls back with each row of a set. */
export function eachRow(bits: RowBits, visit: (row: number) => void): void {
  bits.forEach((word, k) => {
    for (let rest = word; rest !== 0; rest &= rest - 1) {
      visit(32 * k + 31 - Math.clz32(rest & -rest));
    }
  });
}

/** Rows in both of two sets, for each pair i < j: (0, 1), (0, 2), …, (1, 2), … */
export function pairCounts(sets: readonly RowBits[]): Float64Array {
  const counts = new Float64Array((sets.length * (sets.length - 1)) / 2);
  let entry = 0;
  for (let i = 0; i < sets.length; i++) {
    for (let j = i + 1; j < sets.length; j++) counts[entry++] = commonRows(sets[i], sets[j]);
  }
  return counts;
}

/** Index of the pair i < j of `width` sets. */
export function pairIndex(width: number, i: number, j: number): number {
  return (i * (2 * width - i - 1)) / 2 + (j - i - 1);
}

/** Rows in a set. */
export function countRows(bits: RowBits): number {
  return commonRows(bits, bits);
}

function commonRows(a: RowBits, b: RowBits): number {
  let count = 0;
  for (let k = 0; k < a.length; k++) {
    let word = a[k] & b[k];
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    word = (word + (word >>> 4)) & 0x0f0f0f0f;
    count += Math.imul(word, 0x01010101) >>> 24;
  }
  return count;
}
