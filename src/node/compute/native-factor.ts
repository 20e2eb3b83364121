import { availableParallelism } from 'node:os';
import { mirrorSquare } from '../../numeric/dd-matrix.ts';
import { type Factorise, factoriseInKernels, useFactorise } from '../../numeric/positive-factor.ts';
import { type BlasCalls, openBlasNow } from './blas-library.ts';
import { isKnownFast } from './choose-blas.ts';

/** From this width on a library saves more time than it takes to load. */
const WORTH_LOADING = 800;

/** Factors and inverts wide matrices by the system's LAPACK, where there is a fast one; else by the kernels. */
export function useNativeFactor(threads: number = availableParallelism()): void {
  let native: Factorise | undefined;
  useFactorise((d, fillRow) => {
    if (d < WORTH_LOADING) return factoriseInKernels(d, fillRow);
    native ??= libraryFactor(threads) ?? factoriseInKernels;
    return native(d, fillRow);
  });
}

/** The factorisation of a library, or undefined if none is known to be fast. SUFFICE_BLAS names one, or is `none`. */
export function libraryFactor(threads: number): Factorise | undefined {
  const wanted = process.env.SUFFICE_BLAS;
  if (wanted === 'none') return undefined;
  const calls = openBlasNow(wanted, threads);
  if (calls === undefined || (wanted === undefined && !isKnownFast(calls.name))) return undefined;
  const { positive } = calls;
  return positive && factoriseBy(positive);
}

function factoriseBy({ factor, solve, invert }: NonNullable<BlasCalls['positive']>): Factorise {
  return (d, fillRow) => {
    const square = new Float64Array(d * d);
    for (let i = 0; i < d; i++) fillRow(i, square.subarray(i * d, (i + 1) * d));
    const failed = factor(square, d);
    if (failed > 0) return { indefiniteAt: failed - 1 };
    return {
      factor: {
        solve(b) {
          const x = Float64Array.from(b);
          solve(square, d, x);
          return x;
        },
        invert() {
          invert(square, d);
          mirrorSquare(square, d);
          return square;
        },
      },
    };
  };
}
