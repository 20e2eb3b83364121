import { availableParallelism } from 'node:os';
import { mirrorSquare } from '../../numeric/dd-matrix.ts';
import { type Factorise, factoriseInKernels, useFactorise } from '../../numeric/positive-factor.ts';
import {
  type LeadingProduct,
  leadingProduct,
  useLeadingProduct,
} from '../../numeric/symmetric-product.ts';
import { type BlasCalls, openBlasNow } from './blas-library.ts';
import { isKnownFast } from './choose-blas.ts';

/** From this width on a library saves more time than it takes to load. */
const WORTH_LOADING = 800;

/** Factors, inverts and multiplies wide matrices by the system's LAPACK, where there is a fast one; else by the kernels. */
export function useNativeFactor(threads: number = availableParallelism()): void {
  let opened: { readonly calls: BlasCalls | undefined } | undefined;
  const library = () => {
    opened ??= { calls: fastLibrary(threads) };
    return opened.calls;
  };
  let native: Factorise | undefined;
  useFactorise((d, fillRow) => {
    if (d < WORTH_LOADING) return factoriseInKernels(d, fillRow);
    native ??= factorOf(library()) ?? factoriseInKernels;
    return native(d, fillRow);
  });
  useLeadingProduct((matrix, stride, d) =>
    (productOf(library()) ?? leadingProduct)(matrix, stride, d),
  );
}

/** The factorisation of a library, or undefined if none is known to be fast. */
export function libraryFactor(threads: number): Factorise | undefined {
  return factorOf(fastLibrary(threads));
}

/** The products of the same library. */
export function libraryProduct(threads: number): LeadingProduct | undefined {
  return productOf(fastLibrary(threads));
}

/** A library known to be fast, or the one that SUFFICE_BLAS names; undefined if that is `none`. */
function fastLibrary(threads: number): BlasCalls | undefined {
  const wanted = process.env.SUFFICE_BLAS;
  if (wanted === 'none') return undefined;
  const calls = openBlasNow(wanted, threads);
  return wanted === undefined && !isKnownFast(calls?.name ?? '') ? undefined : calls;
}

function productOf(calls: BlasCalls | undefined): LeadingProduct | undefined {
  if (calls === undefined) return undefined;
  return (matrix, stride, d) => (v, out) => calls.multiplySymmetric(matrix, stride, d, v, out);
}

function factorOf(calls: BlasCalls | undefined): Factorise | undefined {
  return calls?.positive && factoriseBy(calls.positive);
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
