// The steps of a symmetric eigenproblem: Householder tridiagonalisation A = QTQᵀ, then implicit QL on T, whose
// rotations are recorded and applied to Q in strips. src/numeric/tridiagonal.ts and eigen.ts run them.
// Golub & Van Loan 2013, §8.3; Press et al. 2007, §11.4.
import { multiplyAdd } from './arithmetic.as';
import { addScaled, dot } from './vector.as';

const EPSILON: f64 = 2.220446049250313e-16;
const ITERATIONS: i32 = 60;
// After this many sweeps a coupling is compared with the whole matrix, not only with its neighbours.
const PATIENCE: i32 = 30;
const STRIP_ROW: usize = 64; // one column of eight rows of Q

/**
 * Step k, first half: applies the pending update A −= vwᵀ + wvᵀ to row k, writes T's entries k, and leaves in the row the
 * reflector H = I − τ·uuᵀ (u₀ = 1) that clears it, with a copy in `next`.
 */
export function reflectRow(
  a: usize, stride: usize, d: i32, k: i32, v: usize, w: usize, next: usize,
  diagonal: usize, offDiagonal: usize, tau: usize,
): void {
  const at: usize = <usize>k * 8;
  const row: usize = a + <usize>k * stride + at;
  addScaled(row, w + at, d - k, -load<f64>(v + at));
  addScaled(row, v + at, d - k, -load<f64>(w + at));
  store<f64>(diagonal + at, load<f64>(row));
  const count: i32 = d - k - 1;
  if (count == 0) return;
  const x: usize = row + 8;
  const alpha: f64 = load<f64>(x);
  const rest: f64 = dot(x + 8, x + 8, count - 1);
  let beta: f64 = alpha, factor: f64 = 0;
  if (rest > 0) {
    beta = Math.sqrt(alpha * alpha + rest);
    if (alpha > 0) beta = -beta;
    factor = (beta - alpha) / beta;
    const scale: f64 = 1.0 / (alpha - beta);
    for (let j: i32 = 1; j < count; j++) {
      const entry: usize = x + <usize>(j * 8);
      store<f64>(entry, load<f64>(entry) * scale);
    }
  }
  store<f64>(x, 1.0);
  store<f64>(offDiagonal + at, beta);
  store<f64>(tau + at, factor);
  memory.copy(next + at + 8, x, <usize>count * 8);
}

/**
 * Step k, the heavy half, in one pass over the upper triangle below row first−1: A −= vwᵀ + wvᵀ and product = A·next.
 * Rows and columns come in pairs; the caller keeps row d and column d of A, and entry d of every vector, at zero.
 */
export function updateAndMultiply(
  a: usize, stride: usize, d: i32, first: i32, v: usize, w: usize, next: usize, product: usize,
): void {
  const end: usize = <usize>d * 8;
  memory.fill(product + <usize>first * 8, 0, end + 8 - <usize>first * 8);
  for (let i: i32 = first; i < d; i += 2) {
    const at: usize = <usize>i * 8;
    const row0: usize = a + <usize>i * stride, row1: usize = row0 + stride;
    const v0 = load<f64>(v + at), w0 = load<f64>(w + at), n0 = load<f64>(next + at);
    const v1 = load<f64>(v + at, 8), w1 = load<f64>(w + at, 8), n1 = load<f64>(next + at, 8);
    const a00: f64 = load<f64>(row0 + at) - 2.0 * v0 * w0;
    const a01: f64 = load<f64>(row0 + at, 8) - v0 * w1 - w0 * v1;
    const a11: f64 = load<f64>(row1 + at, 8) - 2.0 * v1 * w1;
    store<f64>(row0 + at, a00);
    store<f64>(row0 + at, a01, 8);
    store<f64>(row1 + at, a11, 8);
    const minusV0 = f64x2.splat(-v0), minusW0 = f64x2.splat(-w0), next0 = f64x2.splat(n0);
    const minusV1 = f64x2.splat(-v1), minusW1 = f64x2.splat(-w1), next1 = f64x2.splat(n1);
    let sum0 = f64x2.splat(0), sum1 = f64x2.splat(0);
    for (let j: usize = at + 16; j < end; j += 16) {
      const vj = v128.load(v + j), wj = v128.load(w + j), nj = v128.load(next + j);
      const x0 = multiplyAdd(minusW0, vj, multiplyAdd(minusV0, wj, v128.load(row0 + j)));
      const x1 = multiplyAdd(minusW1, vj, multiplyAdd(minusV1, wj, v128.load(row1 + j)));
      v128.store(row0 + j, x0);
      v128.store(row1 + j, x1);
      sum0 = multiplyAdd(x0, nj, sum0);
      sum1 = multiplyAdd(x1, nj, sum1);
      v128.store(product + j, multiplyAdd(x1, next1, multiplyAdd(x0, next0, v128.load(product + j))));
    }
    const dot0: f64 = f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
    const dot1: f64 = f64x2.extract_lane(sum1, 0) + f64x2.extract_lane(sum1, 1);
    store<f64>(product + at, load<f64>(product + at) + dot0 + a00 * n0 + a01 * n1);
    store<f64>(product + at, load<f64>(product + at, 8) + dot1 + a01 * n0 + a11 * n1, 8);
  }
}

/** Step k, the end: w = τ·product − ½τ²(productᵀu)·u, so that HAH = A − uwᵀ − wuᵀ. */
export function finishReflection(u: usize, product: usize, w: usize, d: i32, first: i32, tau: f64): void {
  const at: usize = <usize>first * 8;
  const shift: f64 = 0.5 * tau * tau * dot(product + at, u + at, d - first);
  for (let j: usize = at; j < <usize>d * 8; j += 8) {
    store<f64>(w + j, tau * load<f64>(product + j) - shift * load<f64>(u + j));
  }
}

/** State of QL between calls, and what the last call recorded. */
@unmanaged
class Progress {
  row: i32; // eigenvalues before it are final; d when done, −1 when QL did not converge
  sweeps: i32;
}

/**
 * Implicit QL with Wilkinson's shift on (diagonal, offDiagonal), until done or until the records are full.
 * rotations: (cosine, sine) pairs; sweeps: (first rotation, column, count) triples of i32, rotation t of a sweep turning
 * columns column−1−t and column−t. With `capacity` 0 nothing is recorded.
 */
export function iterateQl(
  diagonal: usize, offDiagonal: usize, d: i32, rotations: usize, capacity: i32, sweeps: usize, state: usize,
): void {
  const progress = changetype<Progress>(state);
  let used: i32 = 0;
  progress.sweeps = 0;
  for (let l: i32 = progress.row; l < d; l++) {
    for (let iteration: i32 = 0; ; iteration++) {
      const floor: f64 = iteration < PATIENCE ? 0.0 : EPSILON * largest(diagonal, offDiagonal, d);
      const m: i32 = blockEnd(diagonal, offDiagonal, d, l, floor);
      if (m == l) break;
      if (iteration == ITERATIONS) {
        progress.row = -1;
        return;
      }
      if (capacity > 0 && (used + m - l > capacity || progress.sweeps == capacity)) {
        progress.row = l;
        return;
      }
      const count: i32 = sweep(diagonal, offDiagonal, l, m, capacity > 0 ? rotations + <usize>used * 16 : 0);
      if (capacity > 0) {
        const record: usize = sweeps + <usize>progress.sweeps * 12;
        store<i32>(record, used, 0);
        store<i32>(record, m, 4);
        store<i32>(record, count, 8);
        progress.sweeps++;
        used += count;
      }
    }
  }
  progress.row = d;
}

// The largest entry of the matrix: couplings below its rounding error are noise that no sweep removes.
function largest(diagonal: usize, offDiagonal: usize, d: i32): f64 {
  let size: f64 = 0.0;
  for (let i: i32 = 0; i < d; i++) {
    const at: usize = <usize>i * 8;
    size = Math.max(size, Math.max(Math.abs(load<f64>(diagonal + at)), Math.abs(load<f64>(offDiagonal + at))));
  }
  return size;
}

// The last row of the block that starts at l: the first whose coupling to the next is negligible.
function blockEnd(diagonal: usize, offDiagonal: usize, d: i32, l: i32, floor: f64): i32 {
  let m: i32 = l;
  for (; m < d - 1; m++) {
    const at: usize = <usize>m * 8;
    const size: f64 = Math.abs(load<f64>(diagonal + at, 0)) + Math.abs(load<f64>(diagonal + at, 8));
    if (Math.abs(load<f64>(offDiagonal + at)) <= Math.max(EPSILON * size, floor)) break;
  }
  return m;
}

// One implicit QL sweep over rows l … m; records its rotations at `record` unless that is 0, and returns their number.
function sweep(diagonal: usize, offDiagonal: usize, l: i32, m: i32, record: usize): i32 {
  const start: usize = <usize>l * 8, end: usize = <usize>m * 8;
  const e: f64 = load<f64>(offDiagonal + start);
  const slope: f64 = (load<f64>(diagonal + start, 8) - load<f64>(diagonal + start)) / (2.0 * e);
  const root: f64 = Math.sqrt(slope * slope + 1.0);
  let g: f64 = load<f64>(diagonal + end) - load<f64>(diagonal + start) + e / (slope + (slope >= 0 ? root : -root));
  let sine: f64 = 1.0, cosine: f64 = 1.0, p: f64 = 0.0;
  let count: i32 = 0;
  for (let i: i32 = m - 1; i >= l; i--) {
    const at: usize = <usize>i * 8;
    const f: f64 = sine * load<f64>(offDiagonal + at);
    const b: f64 = cosine * load<f64>(offDiagonal + at);
    const r: f64 = Math.sqrt(f * f + g * g);
    store<f64>(offDiagonal + at, r, 8);
    if (r == 0.0) {
      // The sweep split the block in two: the next sweep does the rest.
      store<f64>(diagonal + at, load<f64>(diagonal + at, 8) - p, 8);
      store<f64>(offDiagonal + end, 0);
      return count;
    }
    sine = f / r;
    cosine = g / r;
    g = load<f64>(diagonal + at, 8) - p;
    const q: f64 = (load<f64>(diagonal + at) - g) * sine + 2.0 * cosine * b;
    p = sine * q;
    store<f64>(diagonal + at, g + p, 8);
    g = cosine * q - b;
    if (record != 0) {
      store<f64>(record + <usize>count * 16, cosine, 0);
      store<f64>(record + <usize>count * 16, sine, 8);
    }
    count++;
  }
  store<f64>(diagonal + start, load<f64>(diagonal + start) - p);
  store<f64>(offDiagonal + start, g);
  store<f64>(offDiagonal + end, 0);
  return count;
}

/** Applies recorded sweeps to a strip of Q: eight rows, stored column by column. */
export function rotateStrip(strip: usize, rotations: usize, sweeps: usize, count: i32): void {
  for (let s: i32 = 0; s < count; s++, sweeps += 12) {
    let rotation: usize = rotations + <usize>load<i32>(sweeps, 0) * 16;
    const end: usize = rotation + <usize>load<i32>(sweeps, 8) * 16;
    let column: usize = strip + <usize>load<i32>(sweeps, 4) * STRIP_ROW;
    let f0 = v128.load(column, 0), f1 = v128.load(column, 16);
    let f2 = v128.load(column, 32), f3 = v128.load(column, 48);
    for (; rotation < end; rotation += 16) {
      const c = v128.load64_splat(rotation, 0), s = v128.load64_splat(rotation, 8);
      column -= STRIP_ROW;
      const y0 = v128.load(column, 0), y1 = v128.load(column, 16);
      v128.store(column, multiplyAdd(s, y0, f64x2.mul(c, f0)), 64);
      v128.store(column, multiplyAdd(s, y1, f64x2.mul(c, f1)), 80);
      f0 = f64x2.sub(f64x2.mul(c, y0), f64x2.mul(s, f0));
      f1 = f64x2.sub(f64x2.mul(c, y1), f64x2.mul(s, f1));
      const y2 = v128.load(column, 32), y3 = v128.load(column, 48);
      v128.store(column, multiplyAdd(s, y2, f64x2.mul(c, f2)), 96);
      v128.store(column, multiplyAdd(s, y3, f64x2.mul(c, f3)), 112);
      f2 = f64x2.sub(f64x2.mul(c, y2), f64x2.mul(s, f2));
      f3 = f64x2.sub(f64x2.mul(c, y3), f64x2.mul(s, f3));
    }
    v128.store(column, f0, 0);
    v128.store(column, f1, 16);
    v128.store(column, f2, 32);
    v128.store(column, f3, 48);
  }
}
