import { fromBase64, toBase64 } from '../text/base64.ts';

/** Weights as base64 of float32, little-endian. */
export function weightText(weights: ArrayLike<number>): string {
  const bytes = new DataView(new ArrayBuffer(4 * weights.length));
  for (let k = 0; k < weights.length; k++) bytes.setFloat32(4 * k, weights[k], true);
  return toBase64(new Uint8Array(bytes.buffer));
}

/** What `weightText` wrote; empty for another text. */
export function weightsIn(text: string): Float32Array {
  const bytes = fromBase64(text);
  if (bytes.length % 4 !== 0) return new Float32Array(0);
  const view = new DataView(bytes.buffer);
  const weights = new Float32Array(bytes.length / 4);
  for (let k = 0; k < weights.length; k++) weights[k] = view.getFloat32(4 * k, true);
  return weights;
}
