import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { conjugateGradient } from '../src/numeric/conjugate-gradient.ts';

const seeds = fc.record({ width: fc.integer({ min: 1, max: 40 }), seed: fc.integer() });

/** A random Gram matrix plus a ridge, from a small linear congruential stream. */
function problem(width: number, seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const rows = Array.from({ length: width }, () => Float64Array.from({ length: width }, next));
  const matrix = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      matrix[i * width + j] = rows.reduce((sum, row) => sum + row[i] * row[j], i === j ? 0.5 : 0);
    }
  }
  return { matrix, b: Float64Array.from({ length: width }, next) };
}

describe('conjugate gradients', () => {
  it('solve what Cholesky solves', () => {
    fc.assert(
      fc.property(seeds, ({ width, seed }) => {
        const { matrix, b } = problem(width, seed);
        const outcome = choleskyTwin(matrix, width);
        if (!('factor' in outcome)) throw new Error('the matrix is positive definite');
        const exact = outcome.factor.solve(b);
        const diagonal = Float64Array.from({ length: width }, (_, i) => matrix[i * (width + 1)]);
        const { x, relativeResidual } = conjugateGradient(
          (v) =>
            v.map((_, i) => v.reduce((sum, value, j) => sum + matrix[i * width + j] * value, 0)),
          (v) => v.map((value, i) => value / diagonal[i]),
          b,
          1e-13,
        );
        expect(relativeResidual).toBeLessThan(1e-12);
        x.forEach((value, i) => {
          expect(Math.abs(value - exact[i])).toBeLessThan(1e-9 * (1 + Math.abs(exact[i])));
        });
      }),
      { seed: 7 },
    );
  });

  it('ends where the matrix is not positive definite', () => {
    const [b, same] = [Float64Array.of(1, 1), (v: Float64Array) => v];
    const { x, iterations } = conjugateGradient((v) => Float64Array.of(v[0], -v[1]), same, b);
    expect([...x, iterations]).toEqual([0, 0, 0]);
  });
});
