import { expect } from 'vitest';

/** |got − expected| ≤ tolerance · |expected|; zero only by zero, R's Inf and NA by what JSON makes of them. */
export function expectRelative(
  got: number | null | undefined,
  expected: number,
  tolerance: number,
  what: string,
): void {
  const error = Math.abs((got ?? Number.NaN) - expected);
  expect(error, `${what}: ${got} for ${expected}`).toBeLessThanOrEqual(
    tolerance * Math.abs(expected),
  );
}
