import { expect, it } from 'vitest';
import { libraryFactor } from '../src/node/compute/native-factor.ts';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { type Factorise, factoriseInKernels } from '../src/numeric/positive-factor.ts';

const library = libraryFactor(1);
const ways: readonly [string, Factorise][] = [
  ['the kernels', factoriseInKernels],
  ...(library === undefined ? [] : [['the library', library] as [string, Factorise]]),
];

/** Full matrices of which no entry repeats; well conditioned. */
function matrixOf(d: number): Float64Array {
  const a = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) a[i * d + j] = i === j ? d : Math.sin(i * j + i + j);
  }
  return a;
}

const filled =
  (a: Float64Array, d: number): Parameters<Factorise>[1] =>
  (i, row) =>
    row.set(a.subarray(i * d + i, (i + 1) * d), i);

it.each(ways)('%s give A⁻¹b and A⁻¹ of the twin, from the upper triangle alone', (_, factorise) => {
  for (const d of [1, 3, 130, 261]) {
    const a = matrixOf(d);
    const b = Float64Array.from({ length: d }, (_, i) => i - 2);
    const twin = choleskyTwin(a, d);
    const outcome = factorise(d, filled(a, d));
    if (!('factor' in outcome && 'factor' in twin)) throw new Error('indefinite');
    const near = (found: Float64Array, expected: Float64Array) => {
      const off = found.map((value, k) => Math.abs(value - expected[k]));
      expect(off.every((distance) => distance < 1e-13)).toBe(true);
    };
    near(outcome.factor.solve(b), twin.factor.solve(b));
    const inverse = outcome.factor.invert();
    expect(inverse).toHaveLength(d * d);
    near(inverse, twin.factor.inverse());
    const isMirrored = (value: number, k: number) =>
      value === inverse[(k % d) * d + Math.floor(k / d)];
    expect(inverse.every(isMirrored)).toBe(true);
  }
});

it.each(ways)('%s name the first row that is not positive', (_, factorise) => {
  const a = matrixOf(150);
  a[140 * 151] = -1;
  expect(factorise(150, filled(a, 150))).toEqual({ indefiniteAt: 140 });
});
