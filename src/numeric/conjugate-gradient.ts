/** The result of conjugate gradients. */
export interface Iterated {
  readonly x: Float64Array;
  readonly iterations: number;
  /** ‖b − A x‖ / ‖b‖ at the end. */
  readonly relativeResidual: number;
}

/**
 * Solves A x = b for a symmetric positive definite A given as v ↦ A v, by conjugate gradients (Hestenes & Stiefel 1952), with
 * v ↦ M⁻¹v for an M near A: its diagonal, for example. It needs no factor and no copy of A, so it serves when a problem is too
 * wide for Cholesky. Converges in about √κ(M⁻¹A) steps; ends early where A turns out not to be positive definite.
 */
export function conjugateGradient(
  multiply: (v: Float64Array) => Float64Array,
  precondition: (v: Float64Array) => Float64Array,
  b: Float64Array,
  tolerance = 1e-14,
  most: number = 10 * b.length,
): Iterated {
  const width = b.length;
  const target = tolerance * length(b);
  const x = new Float64Array(width);
  const rest = b.slice();
  let scaled = precondition(rest);
  const direction = scaled.slice();
  let energy = dot(rest, scaled);
  let iterations = 0;
  for (; iterations < most && length(rest) > target; iterations++) {
    const image = multiply(direction);
    const curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const step = energy / curvature;
    for (let i = 0; i < width; i++) {
      x[i] += step * direction[i];
      rest[i] -= step * image[i];
    }
    scaled = precondition(rest);
    const next = dot(rest, scaled);
    for (let i = 0; i < width; i++) direction[i] = scaled[i] + (next / energy) * direction[i];
    energy = next;
  }
  return { x, iterations, relativeResidual: length(rest) / (length(b) || 1) };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function length(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}
