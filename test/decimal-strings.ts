/** A seeded stream of 32-bit words (xorshift, Marsaglia 2003): tests only. */
export function words(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Decimal literals of every kind a parser can get wrong: shortest, long, halfway, tiny, huge, padded. */
export function decimalStrings(seed: number): () => string {
  const word = words(seed);
  const unit = () => word() / 2 ** 32 + word() / 2 ** 64;
  const below = (n: number) => word() % n;
  const digits = (n: number) => Array.from({ length: n }, () => below(10)).join('');
  const sign = () => ['', '', '-', '+'][below(4)]!;
  const power = () => ['e', 'E'][below(2)]! + ['', '+', '-'][below(3)]! + below(330);
  const bits = new DataView(new ArrayBuffer(8));
  const anyDouble = () => {
    bits.setUint32(0, word());
    bits.setUint32(4, word());
    const value = bits.getFloat64(0);
    return Number.isFinite(value) ? value : 0;
  };
  // The exact decimal expansion of the midpoint of two neighbours near 2^k.
  const halfway = () => {
    const k = BigInt(below(70));
    const odd = (2n ** 53n + BigInt(word())) * 2n + 1n;
    const exact = odd << k;
    return `${exact + BigInt(below(3) - 1)}`;
  };
  const kinds: readonly (() => string)[] = [
    () => String(anyDouble()),
    () => String((unit() - 0.5) * 10 ** (below(40) - 20)),
    () => (unit() * 1e6).toFixed(below(12)),
    () => String(word()),
    () => {
      const n = 1 + below(26);
      const at = below(n + 1);
      return `${sign()}${digits(at)}.${digits(n - at)}`.replace(/^([+-]?)\.$/, '$10.');
    },
    () => sign() + unit().toExponential(below(20)),
    halfway,
    () => `${sign()}${digits(1 + below(20))}${power()}`,
    () => `${sign()}${digits(1 + below(3))}.${digits(below(24))}${power()}`,
    () => `${sign()}${'0'.repeat(below(30))}.${'0'.repeat(below(30))}${digits(1 + below(20))}`,
    () => `${2n ** 53n + BigInt(below(2000))}${['', '.0', '.5', '.50000', 'e0'][below(5)]}`,
    () => `${sign()}${1 + below(9)}.${digits(15)}e-${300 + below(26)}`,
  ];
  return () => kinds[below(kinds.length)]!();
}
