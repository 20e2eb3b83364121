/** Draws whole numbers uniform on 0 … 2³² − 1, independent of each other. */
export type WordSource = () => number;

/** Uniform on 0 … bound − 1, without modulo bias: draws only as many bits as the bound has, and again if the value is too large. */
export function uniformBelow(bound: bigint, random: WordSource): () => bigint {
  const bits = (bound - 1n).toString(2).length;
  const length = Math.ceil(bits / 32);
  const unused = 32 * length - bits;
  return () => {
    for (;;) {
      let value = BigInt(random() >>> unused);
      for (let k = 1; k < length; k++) value = (value << 32n) | BigInt(random());
      if (value < bound) return value;
    }
  };
}
