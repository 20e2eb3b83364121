import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ringAddInto,
  ringDoubleDouble,
  ringEntry,
  ringSubtractFrom,
  setRingEntry,
} from '../src/statistic/ring.ts';
import { cases } from './endurance.ts';

/** Words near the places where a carry starts or stops. */
const word = fc.oneof(
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
  fc.integer({ min: 0, max: 0xffffffff }),
);
const pair = fc.constantFrom(2, 3, 4, 6, 8).chain((words) =>
  fc.record({
    words: fc.constant(words),
    a: fc.array(word, { minLength: 3 * words, maxLength: 3 * words }),
    b: fc.array(word, { minLength: 3 * words, maxLength: 3 * words }),
  }),
);

describe('ring arithmetic is that of long integers modulo 2^(32·words)', () => {
  it.each([
    ['a + b', ringAddInto, (x: bigint, y: bigint) => x + y],
    ['a − b', ringSubtractFrom, (x: bigint, y: bigint) => x - y],
  ])('%s', (_, into, exact) => {
    fc.assert(
      fc.property(pair, ({ words, a, b }) => {
        const [left, right] = [Uint32Array.from(a), Uint32Array.from(b)];
        const result = left.slice();
        into(result, right, words);
        for (let k = 0; k < 3; k++) {
          const expected = exact(ringEntry(left, words, k), ringEntry(right, words, k));
          expect(ringEntry(result, words, k)).toBe(BigInt.asIntN(32 * words, expected));
        }
      }),
      { seed: 3, numRuns: cases(2000) },
    );
  });

  it('reads back what was written, and decodes it to 106 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }), (value) => {
        const vector = new Uint32Array(4);
        setRingEntry(vector, 4, 0, value);
        expect(ringEntry(vector, 4, 0)).toBe(value);
        const { hi, lo } = ringDoubleDouble(vector, 4, 0, 0);
        const error = BigInt(hi) + BigInt(lo) - value;
        const bound = (value < 0n ? -value : value) >> 104n;
        expect(error <= bound && -error <= bound).toBe(true);
      }),
      { seed: 4 },
    );
  });

  it('decodes three words without any error', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 95n), max: 2n ** 95n - 1n }), (value) => {
        const vector = new Uint32Array(3);
        setRingEntry(vector, 3, 0, value);
        expect(ringEntry(vector, 3, 0)).toBe(value);
        const { hi, lo } = ringDoubleDouble(vector, 3, 0, 0);
        expect(BigInt(hi) + BigInt(lo)).toBe(value);
      }),
      { seed: 5 },
    );
  });

  it('refuses vectors of different shape', () => {
    expect(() => ringAddInto(new Uint32Array(8), new Uint32Array(4), 4)).toThrow('one shape');
  });
});
