import { setFlagsFromString } from 'node:v8';
import { canFuse } from '../numeric/kernels.ts';

/** Node 20 has relaxed SIMD behind a flag that can be set at run time, for this thread and workers started after. */
export function enableRelaxedSimd(): void {
  if (!canFuse()) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
