import type { Kernels } from '../numeric/kernels.ts';

/** Sums in float32 that are added to float64 sums before their rounding matters. */
export interface RunningSum {
  /** Bytes of the float32 numbers that kernels add to. */
  readonly pointer: number;
  /** Says how many terms were added to each number. */
  added(terms: number): void;
  total(): Float64Array;
}

/** Terms that float32 may add up. */
const MOST_TERMS = 512;

/** Sums of `length` numbers, a multiple of 4. */
export function createRunningSum(kernels: Kernels, length: number): RunningSum {
  const pointer = kernels.allocate(4 * length + 64);
  const sums = kernels.allocate(8 * length);
  let pending = 0;
  const fold = () => {
    kernels.call.fold(sums, pointer, length);
    pending = 0;
  };
  return {
    pointer,
    added(terms) {
      pending += terms;
      if (pending >= MOST_TERMS) fold();
    },
    total() {
      fold();
      return kernels.f64(sums, length).slice();
    },
  };
}
