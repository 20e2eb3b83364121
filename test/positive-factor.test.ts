import { expect, it } from 'vitest';
import { libraryFactor, libraryProduct } from '../src/node/compute/native-factor.ts';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { type Factorise, factoriseInKernels } from '../src/numeric/positive-factor.ts';
import { leadingProduct } from '../src/numeric/symmetric-product.ts';

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

it.skipIf(library === undefined)(
  'the library multiplies a part of a wider matrix as the loop does',
  () => {
    const [stride, d] = [140, 133];
    const a = matrixOf(stride);
    const below = a.map((value, k) => (k % stride < Math.floor(k / stride) ? Number.NaN : value));
    const v = Float64Array.from({ length: d }, (_, i) => 1 / (i + 1));
    const [byLibrary, byLoop] = [libraryProduct(1)!, leadingProduct].map((product) => {
      const out = new Float64Array(d).fill(7);
      product(below, stride, d)(v, out);
      return out;
    });
    const off = byLoop.map((value, i) => Math.abs(value - byLibrary[i]));
    expect(off.every((distance) => distance < 1e-12)).toBe(true);
  },
);
