import { twoProduct } from '../numeric/double-double.ts';

/** A column of values hi + lo; an absent lo is 0 everywhere. */
export interface Values {
  readonly hi: Float64Array;
  readonly lo: Float64Array | undefined;
}

/** target ← source, for the first rows. */
export function copyValues(target: Values, source: Values, rows: number): void {
  target.hi.set(source.hi.subarray(0, rows));
  if (target.lo === undefined) return;
  if (source.lo === undefined) target.lo.fill(0, 0, rows);
  else target.lo.set(source.lo.subarray(0, rows));
}

/** target ← 1 where codes equal the code, else 0. */
export function fillIndicator(
  target: Values,
  codes: Float64Array,
  code: number,
  rows: number,
): void {
  const { hi } = target;
  for (let r = 0; r < rows; r++) hi[r] = codes[r] === code ? 1 : 0;
  target.lo?.fill(0, 0, rows);
}

/** target ← 0 where codes differ from the code. */
export function maskValues(target: Values, codes: Float64Array, code: number, rows: number): void {
  const { hi, lo } = target;
  for (let r = 0; r < rows; r++) {
    if (codes[r] === code) continue;
    hi[r] = 0;
    if (lo !== undefined) lo[r] = 0;
  }
}

/** target ← target · factor, in double-double; the target's lo must be there. */
export function multiplyValues(
  target: Values & { readonly lo: Float64Array },
  factor: Values,
  rows: number,
): void {
  const { hi, lo } = target;
  for (let r = 0; r < rows; r++) {
    const a = hi[r]!;
    const b = factor.hi[r]!;
    const product = twoProduct(a, b);
    const rest = product.lo + (a * (factor.lo === undefined ? 0 : factor.lo[r]!) + lo[r]! * b);
    const sum = product.hi + rest;
    hi[r] = sum;
    lo[r] = rest - (sum - product.hi);
  }
}
