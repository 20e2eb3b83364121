/** Draws whole numbers uniform on 0 … 2³² − 1, independent of each other. */
export type WordSource = () => number;

/** Uniform on 0 … bound − 1, with no modulo bias: bits beyond those of the bound are never drawn, and misses are drawn again. */
export function uniformBelow(bound: bigint, words: WordSource): () => bigint {
  const bits = (bound - 1n).toString(2).length;
  const length = Math.ceil(bits / 32);
  const unused = 32 * length - bits;
  return () => {
    for (;;) {
      let value = BigInt(words() >>> unused);
      for (let k = 1; k < length; k++) value = (value << 32n) | BigInt(words());
      if (value < bound) return value;
    }
  };
}
