import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainCodebook } from '../src/study/plain-codebook.ts';
import { parseCodebook } from '../src/study/schema.ts';
import { cases } from './endurance.ts';

function accepted(json: unknown): boolean {
  try {
    expect(parseCodebook(json)).toEqual(json);
    return true;
  } catch {
    return false;
  }
}

/** Values that are right for some member and wrong for others. */
const values = [
  '',
  'a',
  '.',
  ',',
  0,
  -1,
  2.5,
  Number.POSITIVE_INFINITY,
  null,
  true,
  [],
  ['a'],
  ['a', 'b'],
  ['a', 'a'],
  ['a', 1],
  [0, 1],
  [1, 0],
  [1, 1],
  [0],
  [0, 1, 2],
  [0, Number.POSITIVE_INFINITY],
  {},
  Array.from({ length: 10_001 }, (_, k) => `${k}`),
  Array.from({ length: 10_000 }, (_, k) => `${k}`),
];
const keys = 'unit range center scale sd levels missing decimal baseline other'.split(' ');
const types = ['number', 'category', 'id', 'text', 'toString', 1, undefined];

describe('the short check of a codebook', () => {
  it.each(types)('says what zod says of every member of a column of type %s', (type) => {
    for (const key of keys) {
      for (const value of values) {
        for (const rest of [{}, { levels: ['a', 'b'] }]) {
          const json = { x: { ...rest, type, [key]: value } };
          expect(isPlainCodebook(json), JSON.stringify(json).slice(0, 200)).toBe(accepted(json));
        }
      }
    }
  });

  it.each([
    null,
    1,
    'x',
    [],
    [{ type: 'number' }],
    {},
    { x: null },
    { x: [] },
    { x: 'number' },
    { x: { type: 'number' }, y: { type: 'wrong' } },
    { x: { type: 'category', levels: ['a'], baseline: 'b' } },
    { x: { type: 'category', levels: ['a', 'b'], baseline: 'b', missing: [''] } },
    { x: { type: 'category', baseline: 'b' } },
    { '': { type: 'id' } },
  ])('says what zod says of %j', (json) => {
    expect(isPlainCodebook(json)).toBe(accepted(json));
  });

  it('accepts nothing that zod refuses', () => {
    const column = fc.dictionary(
      fc.constantFrom('type', ...keys),
      fc.constantFrom(...types, ...values),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', '__proto__', 'y'), column), (json) => {
        const read = JSON.parse(JSON.stringify(json));
        if (isPlainCodebook(read)) expect(accepted(read)).toBe(true);
      }),
      { numRuns: cases(200) },
    );
  });
});
