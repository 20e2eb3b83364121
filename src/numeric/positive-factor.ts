import { factorSquare, invertSquare, placeSquare, solveUpper } from './cholesky.ts';
import { mirrorSquare } from './dd-matrix.ts';
import { createKernels } from './kernels.ts';

/** A wide positive definite matrix, factored and later inverted in the memory of one or two copies. */
export interface PositiveFactor {
  /** A⁻¹b; not after `invert`. */
  solve(b: Float64Array): Float64Array;
  /** A⁻¹, full, row-major and symmetric to the bit. It takes the place of the factor. */
  invert(): Float64Array;
}

/** The factor, or the first row at which the matrix is not positive definite. */
export type PositiveOutcome =
  | { readonly factor: PositiveFactor }
  | { readonly indefiniteAt: number };

/** Factors a symmetric d × d row-major matrix, of which only the upper triangle is read; `fillRow` fills its rows, each once. */
export type Factorise = (d: number, fillRow: FillRow) => PositiveOutcome;

/** Writes entries i … d − 1 of row i. */
export type FillRow = (i: number, row: Float64Array) => void;

/** By the WASM kernels: two copies while it inverts. */
export const factoriseInKernels: Factorise = (d, fillRow) => {
  const kernels = createKernels();
  const width = Math.ceil(d / 4) * 4;
  const a = placeSquare(kernels, d, fillRow);
  const indefiniteAt = factorSquare(kernels, a, width);
  if (indefiniteAt !== undefined) return { indefiniteAt };
  return {
    factor: {
      solve: (b) => solveUpper(kernels.f64(a, width * width), width, d, b),
      invert() {
        invertSquare(kernels, a, width);
        const square = kernels.f64(a, width * width);
        // Rows move to lower addresses, in their order.
        if (width > d)
          for (let i = 1; i < d; i++) square.copyWithin(i * d, i * width, i * width + d);
        const inverse = square.subarray(0, d * d);
        mirrorSquare(inverse, d);
        return inverse;
      },
    },
  };
};

let chosen: Factorise = factoriseInKernels;

/** Uses the platform's LAPACK from now on. */
export function useFactorise(native: Factorise): void {
  chosen = native;
}

/** Factors by what the platform has: the kernels unless `useFactorise` was called. */
export const positiveFactor: Factorise = (d, fillRow) => chosen(d, fillRow);
