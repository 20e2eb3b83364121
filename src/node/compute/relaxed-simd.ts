import { setFlagsFromString } from 'node:v8';
import { canFuse } from '../../numeric/kernels.ts';

/** Sets the flag that Node 20 needs for relaxed SIMD, for this thread and workers started later. */
export function enableRelaxedSimd(): void {
  if (!canFuse()) setFlagsFromString('--experimental-wasm-relaxed-simd');
}
