/** Hashes the first `bytes` bytes of `words` (little-endian, padded with zeros) into two words of `out`: low, high. */
export type SipHash = (words: Uint32Array, bytes: number, out: Uint32Array, at: number) => void;

/**
 * SipHash-2-4 under a 128-bit key of four words, lowest first (Aumasson & Bernstein, INDOCRYPT 2012): a 64-bit
 * pseudorandom function. Words of 64 bits are held in halves of 32.
 */
export function sipHash(key: Uint32Array): SipHash {
  if (key.length !== 4) throw new RangeError(`a SipHash key is four words; not ${key.length}`);
  const [k0, k1, k2, k3] = key;
  return (words, bytes, out, at) => {
    let a = k0 ^ 0x70736575;
    let A = k1 ^ 0x736f6d65;
    let b = k2 ^ 0x6e646f6d;
    let B = k3 ^ 0x646f7261;
    let c = k0 ^ 0x6e657261;
    let C = k1 ^ 0x6c796765;
    let d = k2 ^ 0x79746573;
    let D = k3 ^ 0x74656462;
    const whole = bytes >>> 3;
    // The block after the full ones has the remaining bytes and the length; two more blocks of zeros are the four final rounds.
    for (let block = 0; block < whole + 3; block++) {
      let m = 0;
      let M = 0;
      if (block < whole) {
        m = words[2 * block];
        M = words[2 * block + 1];
      } else if (block === whole) {
        const rest = bytes & 7;
        m = rest > 0 ? words[2 * block] : 0;
        M = (rest > 4 ? words[2 * block + 1] : 0) | (bytes << 24);
      } else if (block === whole + 1) {
        c ^= 0xff;
      }
      d ^= m;
      D ^= M;
      for (let round = 0; round < 2; round++) {
        let low = (a + b) | 0;
        A = (A + B + carry(a, b, low)) | 0;
        let turned = (b << 13) | (B >>> 19);
        B = ((B << 13) | (b >>> 19)) ^ A;
        b = turned ^ low;
        a = A;
        A = low;
        low = (c + d) | 0;
        C = (C + D + carry(c, d, low)) | 0;
        c = low;
        turned = (d << 16) | (D >>> 16);
        D = ((D << 16) | (d >>> 16)) ^ C;
        d = turned ^ c;
        low = (a + d) | 0;
        A = (A + D + carry(a, d, low)) | 0;
        a = low;
        turned = (d << 21) | (D >>> 11);
        D = ((D << 21) | (d >>> 11)) ^ A;
        d = turned ^ a;
        low = (c + b) | 0;
        C = (C + B + carry(c, b, low)) | 0;
        turned = (b << 17) | (B >>> 15);
        B = ((B << 17) | (b >>> 15)) ^ C;
        b = turned ^ low;
        c = C;
        C = low;
      }
      a ^= m;
      A ^= M;
    }
    out[at] = a ^ b ^ c ^ d;
    out[at + 1] = A ^ B ^ C ^ D;
  };
}

/** The carry out of 32 bits of x + y = `sum`. */
function carry(x: number, y: number, sum: number): number {
  return ((x & y) | ((x | y) & ~sum)) >>> 31;
}
