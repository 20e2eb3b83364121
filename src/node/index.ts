export { type Blas, findBlas } from './blas.ts';
export { type FitOutcome, type FitRequest, fitFiles, fitStudy } from './fit.ts';
export { nodeHost } from './host.ts';
export { createPool } from './pool.ts';
export { enableRelaxedSimd } from './relaxed-simd.ts';
export { type Served, type ServeOptions, serve } from './serve.ts';
export { type FolderHome, openSiteHome } from './site-home.ts';
