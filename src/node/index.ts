export { type Blas, findBlas } from './compute/blas.ts';
export { nodeHost } from './compute/host.ts';
export { createPool } from './compute/pool.ts';
export { enableRelaxedSimd } from './compute/relaxed-simd.ts';
export { type FitOutcome, type FitRequest, fitFiles, fitStudy } from './run/fit.ts';
export { fitParties } from './run/fit-parties.ts';
export { type Served, type ServeOptions, serve } from './server/serve.ts';
export { openSiteFolder, type SiteFolder } from './site/site-folder.ts';
