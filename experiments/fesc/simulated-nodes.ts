import { BLOCK_ROWS, PANEL_BYTES, panelCount } from '../../src/numeric/gram.ts';
import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { normals } from '../../src/random/normals.ts';
import { seededWords } from '../../src/random/seeded-words.ts';

/** Nodes with rows of d + 1 normals (x, ε), read as x and y = x·θ* + ε, and their ridge fits without intercept. */
export interface SimulatedNodes {
  /** Starts without nodes; `seed` is for the random rows. */
  start(seed: number, truth: Float64Array): void;
  /** Adds a node with this many rows; returns θ from its rows alone. The array is reused for the next node. */
  node(rows: number, lambda: number): Float64Array;
  /** θ from the sum of all nodes' Grams, which equals the fit of the pooled rows. */
  pooled(lambda: number): Float64Array;
}

/** Uses the kernels without fused operations, so that all engines agree to the last bit. */
export function simulatedNodes(d: number): SimulatedNodes {
  const kernels = reproducibleKernels();
  const { call } = kernels;
  const panels = panelCount(d + 1);
  const stride = panels * 32;
  const entries = (panels * 4) ** 2;
  const stream = kernels.allocate(call.normalStreamBytes!());
  const rowsAt = kernels.allocate(BLOCK_ROWS * (d + 1) * 8);
  const packedAt = kernels.allocate(panels * PANEL_BYTES);
  const gramAt = kernels.allocate(entries * 8);
  const totalAt = kernels.allocate(entries * 8);
  const scratch = kernels.allocate(entries * 8);
  const truthAt = kernels.allocate(d * 8);
  const thetaAt = kernels.allocate(d * 8);
  const gram = kernels.f64(gramAt, entries);
  const total = kernels.f64(totalAt, entries);
  const theta = kernels.f64(thetaAt, d);
  const solved = (at: number, lambda: number) => {
    const failed = call.ridgeOfGram!(at, stride, d, lambda, thetaAt, scratch);
    if (failed >= 0) throw new RangeError(`λ = ${lambda} leaves pivot ${failed} not positive`);
    return theta;
  };
  return {
    start(seed, truth) {
      call.seedNormals!(stream, seed);
      kernels.f64(truthAt, d).set(truth);
      total.fill(0);
    },
    node(rows, lambda) {
      gram.fill(0);
      for (let first = 0; first < rows; first += BLOCK_ROWS) {
        const block = Math.min(BLOCK_ROWS, rows - first);
        call.fillNormals!(stream, rowsAt, block * (d + 1));
        call.respond!(rowsAt, block, d, truthAt);
        call.packRows!(rowsAt, (d + 1) * 8, block, d + 1, packedAt, PANEL_BYTES);
        call.multiplyUpper!(packedAt, packedAt, PANEL_BYTES, gramAt, stride, block, panels);
      }
      for (let k = 0; k < entries; k++) total[k]! += gram[k]!;
      return solved(gramAt, lambda);
    },
    pooled: (lambda) => solved(totalAt, lambda),
  };
}

/** The same as `simulatedNodes` in plain loops: the specification of the kernels. */
export function simulatedNodesTwin(d: number): SimulatedNodes {
  const q = d + 1;
  const total = new Float64Array(q * q);
  let normal = () => 0;
  let truth = new Float64Array(d);
  return {
    start(seed, theta) {
      normal = normals(seededWords(seed));
      truth = Float64Array.from(theta);
      total.fill(0);
    },
    node(rows, lambda) {
      const gram = new Float64Array(q * q);
      for (let first = 0; first < rows; first += BLOCK_ROWS) {
        const block = new Float64Array(q * q);
        for (let r = first; r < Math.min(rows, first + BLOCK_ROWS); r++) {
          const row = Float64Array.from({ length: q }, normal);
          row[d] = truth.reduce((sum, t, j) => sum + row[j]! * t, 0) + row[d]!;
          for (let i = 0; i < q; i++) {
            for (let j = i; j < q; j++) block[i * q + j]! += row[i]! * row[j]!;
          }
        }
        for (let k = 0; k < q * q; k++) gram[k]! += block[k]!;
      }
      for (let k = 0; k < q * q; k++) total[k]! += gram[k]!;
      return ridgeOfGramTwin(gram, d, lambda);
    },
    pooled: (lambda) => ridgeOfGramTwin(total, d, lambda),
  };
}

function ridgeOfGramTwin(gram: Float64Array, d: number, lambda: number): Float64Array {
  const q = d + 1;
  const r = Float64Array.from(gram);
  for (let i = 0; i < d; i++) r[i * q + i]! += lambda;
  for (let i = 0; i < d; i++) {
    const root = Math.sqrt(r[i * q + i]!);
    r[i * q + i] = root;
    for (let j = i + 1; j < q; j++) r[i * q + j]! /= root;
    for (let k = i + 1; k < q; k++) {
      for (let j = k; j < q; j++) r[k * q + j]! += -r[i * q + k]! * r[i * q + j]!;
    }
  }
  const theta = new Float64Array(d);
  for (let i = d - 1; i >= 0; i--) {
    const known = dotByFour(r.subarray(i * q + i + 1, i * q + d), theta.subarray(i + 1));
    theta[i] = (r[i * q + d]! - known) / r[i * q + i]!;
  }
  return theta;
}

// Sums in the order of the kernel's lanes.
function dotByFour(x: Float64Array, y: Float64Array): number {
  const lanes = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let j = 0; j < whole; j++) lanes[j % 4]! += x[j]! * y[j]!;
  let sum = lanes[0]! + lanes[2]! + (lanes[1]! + lanes[3]!);
  for (let j = whole; j < x.length; j++) sum += x[j]! * y[j]!;
  return sum;
}
