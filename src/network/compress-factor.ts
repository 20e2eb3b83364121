import { symmetricEigen } from '../numeric/eigen.ts';
import { packedLength, unpacked } from '../numeric/gram.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { type LevelRounding, PLAIN_BITS, type Quantised, quantise, restored } from './quantise.ts';

/**
 * A symmetric positive semidefinite matrix as its largest eigenvalues and their vectors, quantised. Its singular vectors are the
 * same on both sides, so they are sent once.
 */
export interface CompressedFactor {
  readonly width: number;
  /** Largest first; as many as the rank. */
  readonly values: Quantised;
  /** One vector after the other, `width` numbers each. */
  readonly vectors: Quantised;
}

/**
 * The `rank` largest eigenpairs of a packed triangle; all of them if it is narrower. Eigenvalues have the bits of the vectors in
 * FedFisher, which loses all below 1/255 of the largest; 32 bits cost little and keep them.
 */
export function compressFactor(
  packed: Float64Array,
  width: number,
  rank: number,
  bits: number,
  rounding: LevelRounding,
  valueBits: number = bits,
): CompressedFactor {
  const kept = Math.min(rank, width);
  const { values, vectors } = symmetricEigen(reproducibleKernels(), unpacked(packed, width), width);
  const largest = Float64Array.from({ length: kept }, (_, k) => Math.max(0, values[width - 1 - k]));
  const columns = Float64Array.from({ length: kept * width }, (_, at) => {
    const k = Math.floor(at / width);
    return vectors[(at - k * width) * width + width - 1 - k];
  });
  return {
    width,
    values: quantise(largest, valueBits, rounding),
    vectors: quantise(columns, bits, rounding),
  };
}

/** Σ λ u uᵀ as a packed triangle. */
export function restoredFactor(compressed: CompressedFactor): Float64Array {
  const { width } = compressed;
  const values = restored(compressed.values);
  const vectors = restored(compressed.vectors);
  const packed = new Float64Array(packedLength(width));
  values.forEach((value, k) => {
    const vector = vectors.subarray(k * width, (k + 1) * width);
    for (let i = 0, at = 0; i < width; i++) {
      const scaled = value * vector[i];
      for (let j = i; j < width; j++) packed[at++] += scaled * vector[j];
    }
  });
  return packed;
}

/** Bits of a matrix of some width when `rank` of its vectors are kept. */
export type FactorBits = (width: number, rank: number) => number;

/** Eigenvalues and one side of vectors: (width + 1) · rank numbers and the largest of both. */
export function eigenBits(bits: number, valueBits: number = bits): FactorBits {
  return (width, rank) => (bits * width + valueBits) * Math.min(rank, width) + 2 * PLAIN_BITS;
}

/** Singular values and vectors of both sides, as FedFisher's code counts: (2 · width + 1) · rank numbers and the largest of each. */
export function singularBits(bits: number): FactorBits {
  return (width, rank) => bits * (2 * width + 1) * Math.min(rank, width) + 3 * PLAIN_BITS;
}
