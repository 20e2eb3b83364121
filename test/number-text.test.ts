import { describe, expect, it } from 'vitest';
import { grouped } from '../src/text/number-text.ts';

describe('grouped numbers', () => {
  it.each([
    0,
    1,
    12,
    999,
    1000,
    12345678,
    123456.789,
    0.0004,
    0.0005,
    1234.5,
    97.123456,
    -1234,
    -0.25,
    1e15,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('%s reads as by toLocaleString', (count) => {
    expect(grouped(count)).toBe(count.toLocaleString('en-US'));
  });
});
