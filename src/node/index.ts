export { type Blas, findBlas } from './blas.ts';
export { type FitOutcome, type FitRequest, type FitWatcher, fitFiles } from './fit.ts';
export { enableRelaxedSimd } from './relaxed-simd.ts';
