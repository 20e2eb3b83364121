/** Padding before the first of `length` values so that a filter gives ⌈length / stride⌉ (TensorFlow's SAME). */
export function samePadding(length: number, filter: number, stride: number): number {
  const made = Math.ceil(length / stride);
  return Math.max(0, (made - 1) * stride + filter - length) >> 1;
}
