import type { FactorBits } from './compress-factor.ts';
import type { NetworkPlan } from './network-plan.ts';
import { PLAIN_BITS } from './quantise.ts';

/** Bits of an average of networks: 32 for each weight. */
export function averageBits({ weights }: NetworkPlan): number {
  return PLAIN_BITS * weights;
}

/** Bits of quantised numbers in the order of the weights, each layer with its largest. */
export function layerBits({ weights, blocks }: NetworkPlan, bits: number): number {
  return weights * bits + blocks.length * PLAIN_BITS;
}

/** Widths of the symmetric matrices of K-FAC: A and G of every layer. */
export function kfacWidths({ blocks }: NetworkPlan): readonly number[] {
  return blocks.flatMap(({ columns, rows }) => [columns, rows]);
}

/** Widths of the symmetric matrices of RegMean: A of every layer. */
export function regMeanWidths({ blocks }: NetworkPlan): readonly number[] {
  return blocks.map(({ columns }) => columns);
}

/** Bits of symmetric matrices, all cut to one rank. */
export function factorsBits(widths: readonly number[], rank: number, bitsOf: FactorBits): number {
  return widths.reduce((sum, width) => sum + bitsOf(width, rank), 0);
}

/**
 * The largest rank with which some matrices fit into a number of bits, each matrix at most its own width; 0 if even one vector a
 * matrix is too much.
 */
export function rankWithin(widths: readonly number[], bits: number, bitsOf: FactorBits): number {
  let [fits, fails] = [0, Math.max(...widths) + 1];
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2);
    if (factorsBits(widths, middle, bitsOf) <= bits) fits = middle;
    else fails = middle;
  }
  return fits;
}

/**
 * The rank of FedFisher's paper and code: ⌊16 d / (8 Σ (2 width + 1))⌋, which counts 8 bits a number, forgets the bits of the
 * largest numbers and those that narrow matrices save.
 */
export function paperRank({ weights }: NetworkPlan, widths: readonly number[]): number {
  return Math.floor((2 * weights) / widths.reduce((sum, width) => sum + 2 * width + 1, 0));
}
