import { type LevelRounding, nearest, type Quantised, upward } from '../network/quantise.ts';
import { type Segment, vector } from '../statistic/segments.ts';
import type { NetworkSums } from './network-numbers.ts';
import type { NetworkCompression } from './network-terms.ts';

/** Terms of a compression with everything filled in but the rank, which follows from the network. */
export function fullCompression({
  bits = 16,
  factorBits = 9,
  rounding = 'round',
}: NetworkCompression): FullCompression {
  return { bits, factorBits, rounding: rounding === 'ceil' ? upward : nearest };
}

/** Bits of weights and of factors, and how sizes are rounded. */
export interface FullCompression {
  readonly bits: number;
  readonly factorBits: number;
  readonly rounding: LevelRounding;
}

const sizeOf = (name: string) => `${name} size`;

/** The segments of quantised numbers: levels, and their largest size as the bits of a float32. */
export function levelSegments(name: string, count: number, bits: number): Segment[] {
  return [
    { ...vector(name, count, 0), bits },
    { ...vector(sizeOf(name), 1, 0), bits: 32 },
  ];
}

/** Quantised numbers as segments have them. */
export function sentLevels(
  name: string,
  { levels, largest }: Quantised,
): Readonly<Record<string, Float64Array>> {
  return {
    [name]: Float64Array.from(levels),
    [sizeOf(name)]: Float64Array.of(new Int32Array(Float32Array.of(largest).buffer)[0]),
  };
}

/** The quantised numbers of one site's segments. */
export function receivedLevels(sums: NetworkSums, name: string, bits: number): Quantised {
  const [size] = sums.of(sizeOf(name));
  const [largest] = new Float32Array(Int32Array.of(size).buffer);
  return { bits, largest, levels: Int32Array.from(sums.of(name)) };
}

/** The segment that counts the contributions of a site: levels of two cannot be added. */
export const countSegment: Segment = { ...vector('contributions', 1, 0), bits: 2 };

/** Why levels cannot be added: a site sent them more than once. */
export function whyNotReceived(sites: readonly NetworkSums[]): string | undefined {
  const several = sites.some((sums) => sums.of(countSegment.name)[0] !== 1);
  return several
    ? 'a site has sent compressed numbers more than once, and they cannot be added'
    : undefined;
}

/** Why no site sends these levels in one contribution, if so. */
export function impossibleLevels(
  sums: NetworkSums,
  segments: readonly Segment[],
): string | undefined {
  for (const { name, bits } of segments) {
    if (bits === undefined) continue;
    if (name === countSegment.name) {
      if (sums.of(name)[0] !== 1) return 'the number of contributions is not 1';
      continue;
    }
    if (!segments.some((other) => other.name === sizeOf(name))) continue;
    const { largest, levels } = receivedLevels(sums, name, bits);
    if (!(Number.isFinite(largest) && largest >= 0)) return `the size of ${name} is no size`;
    // A sign has as many levels on either side.
    if (levels.includes(-(2 ** (bits - 1)))) return `a level of ${name} is beyond its size`;
  }
  return undefined;
}
