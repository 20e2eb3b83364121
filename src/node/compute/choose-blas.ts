import { exactGram } from '../../numeric/exact-gram.ts';
import { createKernels } from '../../numeric/kernels.ts';
import type { GramSize } from '../../rows/host.ts';
import { type Blas, findBlas } from './blas.ts';

/** The BLAS that multiplies wide matrices, if any, and why. */
export interface BlasChoice {
  readonly blas?: Blas;
  readonly why: string;
}

/** Speeds of the same exact Gram by a BLAS and by the kernels, d(d+1) operations per row, in gigaflops. */
export interface MeasuredSpeeds {
  readonly blas: number;
  readonly kernels: number;
}

/** From this number of columns a fast library is clearly faster than the kernels. */
export const WORTH_BLAS = 200;
/** Columns times bytes of a source: with fewer, loading a library (15 ms a thread) takes longer than it saves. */
const WORTH_LOADING = 5e9;

/** Whether a Gram is large enough for a library. */
export function isWorthBlas({ columns, bytes }: GramSize): boolean {
  return columns >= WORTH_BLAS && columns * bytes >= WORTH_LOADING;
}

/** Libraries that beat the kernels wherever they run, from `WORTH_BLAS` columns on. Behind other names may be anything, such as the slow reference BLAS. */
const KNOWN_FAST = /openblas|mkl|accelerate/i;
/** A library must be faster by this factor, so that a repeated measurement comes to the same choice. */
const CLEARLY_FASTER = 1.2;

/** Whether a library of this name is taken without a measurement. */
export function isKnownFast(name: string): boolean {
  return KNOWN_FAST.test(name);
}

let chosen: Promise<BlasChoice> | undefined;

/** The choice for this process: what SUFFICE_BLAS names, else a library known to be fast, else the faster one measured. */
export function chooseBlas(): Promise<BlasChoice> {
  chosen ??= findBlas().then((blas) => blasChoice(blas, process.env.SUFFICE_BLAS, measureSpeeds));
  return chosen;
}

/** The choice for a library that was found. */
export function blasChoice(
  blas: Blas | undefined,
  wanted: string | undefined,
  measure: (blas: Blas) => MeasuredSpeeds,
): BlasChoice {
  if (wanted === 'none') return { why: 'none, by SUFFICE_BLAS' };
  if (blas === undefined) return { why: 'none found' };
  if (wanted !== undefined) return { blas, why: `${blas.name}, by SUFFICE_BLAS` };
  if (isKnownFast(blas.name)) return { blas, why: blas.name };
  const speeds = measure(blas);
  const figures = `${speeds.blas.toFixed(1)} GF/s against ${speeds.kernels.toFixed(1)} of the kernels`;
  return speeds.blas >= CLEARLY_FASTER * speeds.kernels
    ? { blas, why: `${blas.name}, measured: ${figures}` }
    : { why: `${blas.name} is not used, measured: ${figures}` };
}

const ROWS = 224;
const WIDTH = 200;
/** This number of calls brings the engine to its best code for a kernel; a library takes some of its time in kernels, too. */
const WARM_CALLS = 10;
const TIMED_CALLS = 4;

/** The exact Gram of 224 × 200 values by both in turn, as a fit takes it, in about 30 milliseconds. */
export function measureSpeeds(blas: Blas, width: number = WIDTH): MeasuredSpeeds {
  const kernels = createKernels();
  const columns = Array.from({ length: width }, (_, j) => {
    const hi = kernels.allocate(ROWS * 8);
    const values = kernels.f64(hi, ROWS);
    for (let r = 0; r < ROWS; r++) values[r] = ((r * 37 + j * 11) % 101) / 101;
    return { hi, lo: 0, center: 0, scale: 1 };
  });
  const own = exactGram(kernels, columns, ROWS, 2);
  const system = blas.exactGram(kernels, columns, ROWS, 2);
  const best = { own: Number.POSITIVE_INFINITY, system: Number.POSITIVE_INFINITY };
  const time = (add: (rows: number) => void) => {
    const before = performance.now();
    add(ROWS);
    return performance.now() - before;
  };
  for (let call = 0; call < WARM_CALLS + TIMED_CALLS; call++) {
    best.own = Math.min(best.own, time(own.add));
    best.system = Math.min(best.system, time(system.add));
  }
  const gigaflops = (milliseconds: number) => (ROWS * width * (width + 1)) / milliseconds / 1e6;
  return { blas: gigaflops(best.system), kernels: gigaflops(best.own) };
}
