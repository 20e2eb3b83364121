import { symmetricEigen } from './eigen.ts';
import { gramRows, unpacked } from './gram.ts';
import type { Kernels } from './kernels.ts';
import { transposedProduct } from './transposed-product.ts';

/** The principal directions of rows: σᵢvᵢ as rows, the longest first, so that their Gram matrix is that of the rows. */
export interface Directions {
  readonly width: number;
  /** σᵢ². */
  readonly squares: Float64Array;
  /** Row-major, `width` numbers each. */
  readonly rows: Float64Array;
}

/** The directions of row-major rows, by the smaller of AAᵀ and AᵀA. */
export function directionsOf(kernels: Kernels, rows: Float64Array, width: number): Directions {
  const count = rows.length / width;
  const wide = count < width ? transposed(rows, count, width) : rows;
  const size = Math.min(count, width);
  const gram = unpacked(gramRows(kernels, wide, Math.max(count, width), size), size);
  const { values, vectors } = symmetricEigen(kernels, gram, size);
  const squares = Float64Array.from({ length: size }, (_, k) => Math.max(0, values[size - 1 - k]));
  const made = new Float64Array(size * width);
  // uᵀA for every u of AAᵀ; σ·vᵀ for every v of AᵀA.
  const turned = count < width ? transposedProduct(kernels, vectors, rows, count) : undefined;
  for (let k = 0; k < size; k++) {
    const own = made.subarray(k * width, (k + 1) * width);
    const at = size - 1 - k;
    if (turned !== undefined) {
      own.set(turned.subarray(at * width, (at + 1) * width));
      continue;
    }
    const length = Math.sqrt(squares[k]);
    for (let j = 0; j < width; j++) own[j] = length * vectors[j * size + at];
  }
  return { width, squares, rows: made };
}

/**
 * At most ℓ rows B with ‖AᵀA − BᵀB‖ ≤ (‖A‖²_F − ‖B‖²_F)/(ℓ + 1): every squared length is made shorter by the one after the
 * ℓ-th (Liberty 2013; Ghashami et al. 2016).
 */
export function shrunk({ width, squares, rows }: Directions, most: number): Float64Array {
  const kept = Math.min(most, squares.length);
  const cut = squares[most] ?? 0;
  const sketch = rows.slice(0, kept * width);
  for (let k = 0; k < kept; k++) {
    const factor = squares[k] > cut ? Math.sqrt((squares[k] - cut) / squares[k]) : 0;
    for (let j = 0; j < width; j++) sketch[k * width + j] *= factor;
  }
  return sketch;
}

/**
 * Frequent directions of rows, at most ℓ, reading ℓ rows at a time. Two sketches one after another are again rows, so sites'
 * sketches are merged by the same function, with the bound of all rows.
 */
export function frequentDirections(
  kernels: Kernels,
  rows: Float64Array,
  width: number,
  most: number,
): Float64Array {
  let sketch = new Float64Array(0);
  for (let first = 0; first < rows.length; first += most * width) {
    const next = rows.subarray(first, first + most * width);
    const both = new Float64Array(sketch.length + next.length);
    both.set(sketch);
    both.set(next, sketch.length);
    sketch = Float64Array.from(
      both.length > most * width ? shrunk(directionsOf(kernels, both, width), most) : both,
    );
  }
  return sketch;
}

function transposed(rows: Float64Array, count: number, width: number): Float64Array {
  const turned = new Float64Array(rows.length);
  for (let r = 0; r < count; r++) {
    for (let j = 0; j < width; j++) turned[j * count + r] = rows[r * width + j];
  }
  return turned;
}
