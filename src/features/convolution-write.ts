import { type Convolution, poolingWindows } from '../numeric/convolve-images.ts';
import type { MapWriter } from './map-writer.ts';

/** The features of `imageConvolver` for other programs, to rounding: they add in an order of their own. */
export function writeConvolution<Matrix>(
  { inputs, images }: MapWriter<Matrix>,
  drawn: () => Convolution,
): Matrix {
  const { read, convolve, abs, mean, shift, divide, clip, resample, columns } = images();
  const convolution = drawn();
  const { normal, size, weights, thresholds, pooling, floor, cap } = convolution;
  const units = normal.map(({ mean: center, deviation: scale }) => ({ center, scale }));
  const answers = convolve(read(inputs, convolution, units), { size, weights });
  const relative = divide(answers, shift(mean(abs(answers)), floor));
  // For each filter c/m − b, then −c/m − b.
  const parts = convolve(relative, {
    size: 1,
    weights: Float32Array.from({ length: 2 * thresholds.length }, (_, k) => (k % 2 ? -1 : 1)),
    biases: Float32Array.from({ length: 2 * thresholds.length }, (_, k) => -thresholds[k >> 1]),
    groups: thresholds.length,
  });
  const [rows, across] = [parts.height, parts.width].map((length) => windowMeans(length, pooling));
  return columns(clip(resample(clip(parts, 0), rows, across), 0, cap));
}

/** A line for each window: its mean as weights of the positions. */
function windowMeans(length: number, pooling: number): Float32Array {
  const lines = new Float32Array(pooling * length);
  poolingWindows(length, pooling).forEach(({ from, to }, k) => {
    lines.fill(1 / (to - from), k * length + from, k * length + to);
  });
  return lines;
}
