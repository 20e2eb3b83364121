import { expect } from 'vitest';

type Numbers = ArrayLike<number | bigint>;

const isNumbers = (value: unknown): value is Numbers =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Whether two typed arrays of one type hold the same numbers; undefined for anything else, which Vitest compares. */
function sameNumbers(a: unknown, b: unknown): boolean | undefined {
  if (!isNumbers(a) || !isNumbers(b) || a.constructor !== b.constructor) return undefined;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (!Object.is(a[k], b[k])) return false;
  return true;
}

/**
 * Before each test file, and once in a worker: bytes are compared by a loop. Vitest itself asks an iterator for each, and
 * lists the names of all of them.
 */
const place = globalThis as { sameNumbers?: true };
if (place.sameNumbers === undefined) {
  place.sameNumbers = true;
  expect.addEqualityTesters([sameNumbers]);
}
