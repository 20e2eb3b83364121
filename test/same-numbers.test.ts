import { expect, it } from 'vitest';

it.each([
  ['a byte', new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 4])],
  ['the length', new Uint8Array([1, 2]), new Uint8Array([1, 2, 0])],
  ['the type', new Uint8Array([1, 2]), new Uint16Array([1, 2])],
  ['the sign of zero', new Float64Array([0]), new Float64Array([-0])],
  ['a number that is none', new Float64Array([Number.NaN]), new Float64Array([1])],
  ['a long integer', new BigInt64Array([1n]), new BigInt64Array([2n])],
])('typed arrays are not equal that differ in %s', (_, one, other) => {
  expect(one).toEqual(one.slice());
  expect({ one }).toStrictEqual({ one: one.slice() });
  expect(one).not.toEqual(other);
  expect({ one }).not.toMatchObject({ one: other });
});
