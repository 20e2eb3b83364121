import type { NetworkPlan } from './network-plan.ts';

/** Numbers as multiples of `largest` / (2ᵇ⁻¹ − 1), each a signed whole number of b bits (FedFisher, equation 84). */
export interface Quantised {
  /** Bits of each number, its sign included. */
  readonly bits: number;
  /** The largest size of all numbers, as a float32. */
  readonly largest: number;
  readonly levels: Int8Array | Int16Array | Int32Array;
}

/** A size between 0 and 2³¹ to a whole number. */
export type LevelRounding = (size: number) => number;

/** As FedFisher's paper prints it: sizes become larger. */
export const upward: LevelRounding = Math.ceil;

/** As FedFisher's code has it: to the nearest whole number, and to the even one of two. */
export const nearest: LevelRounding = (size) => {
  const whole = Math.round(size);
  return whole - size === 0.5 && whole % 2 === 1 ? whole - 1 : whole;
};

/** Bits of a number that is not compressed. */
export const PLAIN_BITS = 32;

/** Quantises numbers by their largest size. */
export function quantise(values: Float64Array, bits: number, rounding: LevelRounding): Quantised {
  if (!(Number.isInteger(bits) && bits >= 2 && bits <= 32)) {
    throw new RangeError(`bits must be a whole number from 2 to 32: ${bits}`);
  }
  let size = 0;
  for (const value of values) size = Math.max(size, Math.abs(value));
  const largest = Math.fround(size);
  if (!Number.isFinite(largest)) {
    throw new RangeError('numbers to quantise must be finite, and float32 must hold them');
  }
  const levels = emptyLevels(bits, values.length);
  if (largest === 0) return { bits, largest, levels };
  const most = mostLevels(bits);
  for (let k = 0; k < values.length; k++) {
    const level = Math.min(most, rounding(most * (Math.abs(values[k]) / largest)));
    levels[k] = values[k] < 0 ? -level : level;
  }
  return { bits, largest, levels };
}

/** The numbers that a quantiser stands for. */
export function restored({ bits, largest, levels }: Quantised): Float64Array {
  const most = mostLevels(bits);
  return Float64Array.from(levels, (level) => (largest * level) / most);
}

/** Bits of quantised numbers on the wire: those of each, and 32 for the largest. */
export function quantisedBits({ bits, levels }: Quantised): number {
  return levels.length * bits + PLAIN_BITS;
}

/** Quantises numbers in the order of the weights, each layer by its own largest. */
export function quantiseLayers(
  { blocks }: NetworkPlan,
  values: Float64Array,
  bits: number,
  rounding: LevelRounding,
): readonly Quantised[] {
  return blocks.map(({ start, rows, columns }) =>
    quantise(values.subarray(start, start + rows * columns), bits, rounding),
  );
}

/** The numbers of all layers, in the order of the weights. */
export function restoredLayers(plan: NetworkPlan, layers: readonly Quantised[]): Float64Array {
  const values = new Float64Array(plan.weights);
  for (const { index, start } of plan.blocks) values.set(restored(layers[index]), start);
  return values;
}

/** Positive levels of b bits with a sign. */
function mostLevels(bits: number): number {
  return 2 ** (bits - 1) - 1;
}

/** An array for whole numbers of some bits. */
export function emptyLevels(bits: number, length: number): Quantised['levels'] {
  if (bits <= 8) return new Int8Array(length);
  return bits <= 16 ? new Int16Array(length) : new Int32Array(length);
}
