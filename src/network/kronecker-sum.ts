import { symmetricEigen } from '../numeric/eigen.ts';
import { panelCount, unpacked } from '../numeric/gram.ts';
import type { Kernels } from '../numeric/kernels.ts';
import type { SymmetricProduct } from '../numeric/symmetric-product.ts';
import { addTimes } from './site-weights.ts';

/** One term p · G V A: both factors as packed upper triangles. */
export interface KroneckerTerm {
  readonly share: number;
  /** A, columns × columns. */
  readonly inputs: Float64Array;
  /** G, rows × rows. */
  readonly outputs: Float64Array;
}

/** V ↦ Σ p G V A for row-major matrices V of one form. The factors stay in kernel memory. */
export function kroneckerSum(
  kernels: Kernels,
  terms: readonly KroneckerTerm[],
  rows: number,
  columns: number,
): SymmetricProduct {
  const sides = terms.map(({ share, inputs, outputs }) => ({
    left: unpacked(
      outputs.map((entry) => share * entry),
      rows,
    ),
    right: unpacked(inputs, columns),
  }));
  return twoSidedSum(kernels, sides, rows, columns);
}

/** Σ p tr(G) tr(A): the trace of V ↦ Σ p G V A. */
export function kroneckerTrace(
  terms: readonly KroneckerTerm[],
  rows: number,
  columns: number,
): number {
  return terms.reduce(
    (sum, { share, inputs, outputs }) =>
      sum + share * traceOf(inputs, columns) * traceOf(outputs, rows),
    0,
  );
}

/**
 * V ↦ (Ĝ ⊗ Â / t + shift)⁻¹ V by the eigenvectors of Â = Σ p tr(G) A and Ĝ = Σ p tr(A) G, with t = Σ p tr(A) tr(G): near the
 * inverse of V ↦ Σ p G V A + shift · V, since both have the same traces over either side.
 */
export function nearInverse(
  kernels: Kernels,
  terms: readonly KroneckerTerm[],
  rows: number,
  columns: number,
  shift: number,
): SymmetricProduct {
  const inputs = new Float64Array(terms[0].inputs.length);
  const outputs = new Float64Array(terms[0].outputs.length);
  for (const term of terms) {
    addTimes(inputs, term.share * traceOf(term.outputs, rows), term.inputs);
    addTimes(outputs, term.share * traceOf(term.inputs, columns), term.outputs);
  }
  const trace = kroneckerTrace(terms, rows, columns);
  const across = symmetricEigen(kernels, unpacked(inputs, columns), columns);
  const down = symmetricEigen(kernels, unpacked(outputs, rows), rows);
  const into = twoSidedSum(kernels, [{ left: down.vectors, right: across.vectors }], rows, columns);
  const back = twoSidedSum(
    kernels,
    [{ left: transposed(down.vectors, rows), right: transposed(across.vectors, columns) }],
    rows,
    columns,
  );
  const factors = Float64Array.from({ length: rows * columns }, (_, at) => {
    const i = Math.floor(at / columns);
    const value = (down.values[i] * across.values[at - i * columns]) / trace;
    return 1 / (Math.max(0, value) + shift);
  });
  const turned = new Float64Array(rows * columns);
  return (v, out) => {
    into(v, turned);
    for (let k = 0; k < turned.length; k++) turned[k] *= factors[k];
    back(turned, out);
  };
}

/** Square matrices on both sides of a product. */
interface Sides {
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/** V ↦ Σ leftᵀ V right by the Gram kernel: Vᵀ left first, whose rows are those of `right`, so that nothing is transposed. */
function twoSidedSum(
  kernels: Kernels,
  sides: readonly Sides[],
  rows: number,
  columns: number,
): SymmetricProduct {
  const { call } = kernels;
  const [down, across] = [panelCount(rows), panelCount(columns)];
  const [deep, wide] = [rows * 32, columns * 32];
  const factors = sides.map(({ left, right }) => ({
    left: placed(kernels, left, rows),
    right: placed(kernels, right, columns),
  }));
  const staged = kernels.allocate(rows * columns * 8);
  const packed = kernels.allocate(across * deep);
  const half = kernels.allocate(across * 4 * down * 32);
  const packedHalf = kernels.allocate(down * wide);
  const sum = kernels.allocate(down * 4 * across * 32);
  return (v, out) => {
    kernels.f64(staged, rows * columns).set(v);
    call.packRows(staged, columns * 8, rows, columns, packed, deep);
    const total = kernels.f64(sum, down * 4 * across * 4).fill(0);
    for (const { left, right } of factors) {
      kernels.f64(half, across * 4 * down * 4).fill(0);
      call.multiplyAll(packed, across, left, down, deep, half, down * 32, rows);
      call.packRows(half, down * 32, columns, rows, packedHalf, wide);
      call.multiplyAll(packedHalf, down, right, across, wide, sum, across * 32, columns);
    }
    for (let i = 0; i < rows; i++) {
      out.set(total.subarray(i * across * 4, i * across * 4 + columns), i * columns);
    }
  };
}

/** A square matrix in kernel memory, packed into panels of four columns. */
function placed(kernels: Kernels, matrix: Float64Array, d: number): number {
  const panels = kernels.allocate(panelCount(d) * d * 32);
  kernels.scoped(() => {
    const plain = kernels.allocate(d * d * 8);
    kernels.f64(plain, d * d).set(matrix);
    kernels.call.packRows(plain, d * 8, d, d, panels, d * 32);
  });
  return panels;
}

function transposed(matrix: Float64Array, d: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % d) * d + Math.floor(at / d)]);
}

function traceOf(packed: Float64Array, d: number): number {
  let sum = 0;
  for (let i = 0, at = 0; i < d; at += d - i, i++) sum += packed[at];
  return sum;
}
