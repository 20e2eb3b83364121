import {
  averageBits,
  factorsBits,
  kfacWidths,
  layerBits,
  paperRank,
  rankWithin,
} from '../../src/network/bit-budget.ts';
import {
  compressFactor,
  eigenBits,
  restoredFactor,
  singularBits,
} from '../../src/network/compress-factor.ts';
import type { NetworkPlan } from '../../src/network/network-plan.ts';
import {
  type LevelRounding,
  nearest,
  PLAIN_BITS,
  quantiseLayers,
  restoredLayers,
  upward,
} from '../../src/network/quantise.ts';
import type { CellSite } from './fusion-cell.ts';

/** How much of what a client sends is cut away (FedFisher, Appendix C). */
export interface MessageCompression {
  /** Bits of a weight and of an entry of the diagonal; 32 leaves them as they are. */
  readonly bits: number;
  /** Of a number of a Kronecker factor's vectors and values. */
  readonly factorBits: number;
  /** Vectors kept of a factor; all unless given. */
  readonly rank?: number;
  readonly rounding: LevelRounding;
}

/** A way to compress, for any network. */
export interface CompressionLevel {
  readonly label: string;
  of(plan: NetworkPlan): MessageCompression;
}

/** Every level that is tried, by a name of its own. */
export const compressionLevels = {
  none: {
    label: 'nothing',
    of: () => ({ bits: PLAIN_BITS, factorBits: PLAIN_BITS, rounding: nearest }),
  },
  coded: {
    label: 's_q = 4, as in the code (8 bits and a sign)',
    of: (plan) => ({
      ...{ bits: 16, factorBits: 9, rounding: nearest },
      rank: paperRank(plan, kfacWidths(plan)),
    }),
  },
  printed2: { label: 's_q = 2', of: (plan) => printedCompression(plan, 2, nearest) },
  printed4: {
    label: 's_q = 4, as printed (rounded up)',
    of: (plan) => printedCompression(plan, 4, upward),
  },
  printed6: { label: 's_q = 6', of: (plan) => printedCompression(plan, 6, nearest) },
  once: {
    label: 'vectors sent once, in FedAvg’s bits',
    of: (plan) => ({
      ...{ bits: 16, factorBits: 9, rounding: nearest },
      rank: rankWithin(kfacWidths(plan), 16 * plan.weights, eigenBits(9)),
    }),
  },
} satisfies Record<string, CompressionLevel>;

export type CompressionName = keyof typeof compressionLevels;

/** Factors with as many vectors as s_q leaves room for in 16 bits a weight (Appendix C, after equation 86). */
function printedCompression(
  plan: NetworkPlan,
  quantiser: number,
  rounding: LevelRounding,
): MessageCompression {
  const factorBits = Math.floor(PLAIN_BITS / quantiser);
  const numbers = kfacWidths(plan).reduce((sum, width) => sum + 2 * width + 1, 0);
  const rank = Math.floor((16 * plan.weights * quantiser) / (PLAIN_BITS * numbers));
  return { bits: 16, factorBits, rank, rounding };
}

/** Weights and diagonals as the server gets them back from what the clients sent. */
export function sentDiagonals(
  plan: NetworkPlan,
  sites: readonly CellSite[],
  { bits, rounding }: MessageCompression,
): CellSite[] {
  if (bits === PLAIN_BITS) return [...sites];
  const cut = (values: Float64Array) =>
    restoredLayers(plan, quantiseLayers(plan, values, bits, rounding));
  return sites.map((site) => ({ ...site, weights: cut(site.weights), fisher: cut(site.fisher) }));
}

/** Weights and Kronecker factors as the server gets them back. */
export function sentFactors(
  plan: NetworkPlan,
  sites: readonly CellSite[],
  compression: MessageCompression,
): CellSite[] {
  const { factorBits, rank, rounding } = compression;
  const sent = sentDiagonals(plan, sites, compression);
  if (factorBits === PLAIN_BITS) return sent;
  const cut = (packed: Float64Array, width: number) =>
    restoredFactor(compressFactor(packed, width, rank ?? width, factorBits, rounding));
  return sent.map((site) => ({
    ...site,
    factors: site.factors.map(({ inputs, outputs }, k) => {
      const { columns, rows } = plan.blocks[k]!;
      return { inputs: cut(inputs, columns), outputs: cut(outputs, rows) };
    }),
  }));
}

/** Bits that a client sends, as parts of FedAvg's. */
export interface SentBits {
  readonly diagonal: number;
  /** Vectors of both sides of each factor, as the paper counts. */
  readonly kfac: number;
  /** Vectors once, since the factors are symmetric. */
  readonly kfacOnce: number;
}

export function sentBits(
  plan: NetworkPlan,
  { bits, factorBits, rank }: MessageCompression,
): SentBits {
  const one = averageBits(plan);
  const weights = bits === PLAIN_BITS ? one : layerBits(plan, bits);
  const widths = kfacWidths(plan);
  const plain = PLAIN_BITS * widths.reduce((sum, width) => sum + width * width, 0);
  const triangles = PLAIN_BITS * widths.reduce((sum, width) => sum + (width * (width + 1)) / 2, 0);
  const most = rank ?? Math.max(...widths);
  const isPlain = factorBits === PLAIN_BITS;
  return {
    diagonal: (2 * weights) / one,
    kfac: (weights + (isPlain ? plain : factorsBits(widths, most, singularBits(factorBits)))) / one,
    kfacOnce:
      (weights + (isPlain ? triangles : factorsBits(widths, most, eigenBits(factorBits)))) / one,
  };
}
