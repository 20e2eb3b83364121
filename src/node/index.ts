export { type Blas, findBlas } from './blas.ts';
export { type FitOutcome, type FitRequest, type FitWatcher, fitFiles, fitStudy } from './fit.ts';
export { enableRelaxedSimd } from './relaxed-simd.ts';
export { type Served, type ServeOptions, serve } from './serve.ts';
