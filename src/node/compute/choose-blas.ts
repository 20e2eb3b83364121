import { floatGram } from '../../numeric/gram.ts';
import { createKernels } from '../../numeric/kernels.ts';
import { type Blas, findBlas } from './blas.ts';

/** The BLAS that multiplies wide matrices, if any, and why. */
export interface BlasChoice {
  readonly blas?: Blas;
  readonly why: string;
}

/** Gigaflops of the same product by a BLAS and by the kernels. */
export interface MeasuredSpeeds {
  readonly blas: number;
  readonly kernels: number;
}

/** Libraries that beat the kernels wherever they run. Behind other names may be anything, such as the slow reference BLAS. */
const KNOWN_FAST = /openblas|mkl|accelerate/i;
/** A library must be faster by this factor, so that a repeated measurement comes to the same choice. */
const CLEARLY_FASTER = 1.2;

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
  if (KNOWN_FAST.test(blas.name)) return { blas, why: blas.name };
  const speeds = measure(blas);
  const figures = `${speeds.blas.toFixed(1)} GF/s against ${speeds.kernels.toFixed(1)} of the kernels`;
  return speeds.blas >= CLEARLY_FASTER * speeds.kernels
    ? { blas, why: `${blas.name}, measured: ${figures}` }
    : { why: `${blas.name} is not used, measured: ${figures}` };
}

const ROWS = 256;
const WIDTH = 128;
/** This number of calls brings the engine to its best code for a kernel. */
const WARM_CALLS = 10;
const TIMED_CALLS = 3;

/** Multiplies a 256 × 128 matrix by both, in a few milliseconds. */
export function measureSpeeds(blas: Blas): MeasuredSpeeds {
  const kernels = createKernels();
  const columns = Array.from({ length: WIDTH }, (_, j) => {
    const hi = kernels.allocate(ROWS * 8);
    const values = kernels.f64(hi, ROWS);
    for (let r = 0; r < ROWS; r++) values[r] = ((r * 37 + j * 11) % 101) / 101;
    return { hi, lo: 0, center: 0, scale: 1 };
  });
  const gigaflops = (add: () => void, warmCalls: number): number => {
    let best = Number.POSITIVE_INFINITY;
    for (let call = 0; call < warmCalls + TIMED_CALLS; call++) {
      const before = performance.now();
      add();
      if (call >= warmCalls) best = Math.min(best, performance.now() - before);
    }
    return (ROWS * WIDTH * (WIDTH + 1)) / best / 1e6;
  };
  const own = floatGram(kernels, columns, ROWS);
  const system = blas.floatGram(kernels, columns, ROWS);
  return {
    blas: gigaflops(() => system.add(ROWS), 1),
    kernels: gigaflops(() => own.add(ROWS), WARM_CALLS),
  };
}
