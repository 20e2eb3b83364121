import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { symmetricEigenvalues } from '../src/numeric/eigen.ts';
import { directionsOf, frequentDirections, shrunk } from '../src/numeric/frequent-directions.ts';
import { gramRows, unpacked } from '../src/numeric/gram.ts';
import { reproducibleKernels } from '../src/numeric/kernels.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';

/** numpy's; see vectors/frequent-directions.py. */
const numpy = JSON.parse(
  readFileSync(new URL('vectors/frequent-directions.json', import.meta.url), 'utf8'),
) as {
  readonly rows: readonly (readonly number[])[];
  readonly most: number;
  readonly squares: readonly number[];
  readonly gram: readonly number[];
  readonly error: number;
};

const kernels = reproducibleKernels();
const gram = (rows: Float64Array, width: number) =>
  unpacked(gramRows(kernels, rows, rows.length / width, width), width);

/** ‖AᵀA − BᵀB‖, and the smallest eigenvalue of the difference, which is never below 0. */
function apart(a: Float64Array, b: Float64Array, width: number) {
  const [all, sketch] = [gram(a, width), gram(b, width)];
  const values = symmetricEigenvalues(
    kernels,
    all.map((entry, k) => entry - sketch[k]),
    width,
  );
  return { norm: values[width - 1], smallest: values[0] };
}

const squared = (rows: Float64Array) => rows.reduce((sum, x) => sum + x * x, 0);

describe('frequent directions', () => {
  const width = numpy.rows[0].length;
  const rows = Float64Array.from(numpy.rows.flat());

  it('has numpy’s singular values', () => {
    const { squares } = directionsOf(kernels, rows, width);
    squares.forEach((value, k) => {
      expect(value / numpy.squares[k]).toBeCloseTo(1, 11);
    });
  });

  it('is the sketch of numpy’s SVDs, as far away from the rows', () => {
    const sketch = frequentDirections(kernels, rows, width, numpy.most);
    expect(sketch.length).toBeLessThanOrEqual(numpy.most * width);
    gram(sketch, width).forEach((entry, k) => {
      expect(entry).toBeCloseTo(numpy.gram[k], 9);
    });
    const { norm } = apart(rows, sketch, width);
    expect(norm).toBeCloseTo(numpy.error, 9);
    expect(norm).toBeLessThanOrEqual(numpy.squares.reduce((sum, x) => sum + x, 0) / numpy.most);
  });

  it.each([
    [5, 12, 3],
    [40, 12, 5],
    [40, 12, 12],
    [90, 30, 8],
  ])('%i rows of %i numbers in %i: within the bound, never above the rows', (n, d, most) => {
    const next = normals(seededWords(n));
    const drawn = Float64Array.from({ length: n * d }, (_, k) => next() / (1 + (k % d)));
    const sketches = [
      shrunk(directionsOf(kernels, drawn, d), most),
      frequentDirections(kernels, drawn, d, most),
      // Two sites, then the coordinator.
      frequentDirections(
        kernels,
        Float64Array.from(
          [drawn.subarray(0, 3 * d), drawn.subarray(3 * d)].flatMap((part) => [
            ...frequentDirections(kernels, part, d, most),
          ]),
        ),
        d,
        most,
      ),
    ];
    for (const sketch of sketches) {
      expect(sketch.length).toBeLessThanOrEqual(most * d);
      const { norm, smallest } = apart(drawn, sketch, d);
      const slack = 1e-12 * squared(drawn);
      expect(norm).toBeLessThanOrEqual((squared(drawn) - squared(sketch)) / (most + 1) + slack);
      expect(smallest).toBeGreaterThanOrEqual(-slack);
    }
  });
});
