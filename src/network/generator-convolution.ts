import { crossProduct } from './cross-product.ts';
import type { GeneratorLayer } from './generator-plan.ts';
import {
  type BatchValues,
  batchValues,
  type GeneratorSpace,
  type RunningLayer,
} from './generator-space.ts';
import { type ValueShape, valueCount } from './network-plan.ts';
import { TOGETHER } from './workspace.ts';

/** A convolution with zeros around the images, so that they keep their size. */
export function generatorConvolution(
  space: GeneratorSpace,
  layer: Extract<GeneratorLayer, { kind: 'convolution' }>,
  given: BatchValues,
): RunningLayer {
  const { kernels, batch } = space;
  const { from, to, start, size } = layer;
  const pixels = from.height * from.width;
  const inputs = size * size * from.channels;
  const together = Math.min(batch, Math.max(1, Math.floor(TOGETHER / (pixels * inputs))));
  const made = batchValues(space, valueCount(to), to.channels);
  const weights = space.weights.values + 4 * start;
  const gradient = space.weights.gradient + 4 * start;
  const before = createFrame(space, from, size, together);
  const after = createFrame(space, to, size, together);
  const windows = kernels.allocate(4 * together * pixels * inputs + 12 * inputs + 64);
  const turned = kernels.allocate(4 * size * size * to.channels * from.channels);
  const panel = kernels.allocate(
    4 * Math.max(8 * inputs, 8 * size * size * to.channels, together * pixels * to.channels),
  );

  const eachPart = (visit: (first: number, count: number) => void) => {
    for (let first = 0; first < batch; first += together) {
      visit(first, Math.min(together, batch - first));
    }
  };

  return {
    made,
    forward() {
      eachPart((first, count) => {
        kernels.call.convolve(
          ...[before.put(given.values, first, count), count, before.pitch],
          ...[before.height, before.width, from.channels, size, weights, to.channels, 0],
          ...[made.values + 4 * first * valueCount(to), panel],
        );
      });
    },
    backward() {
      turnWeights(kernels.f32(weights, inputs * to.channels), layer, (count) =>
        kernels.f32(turned, count),
      );
      eachPart((first, count) => {
        const seen = before.put(given.values, first, count);
        kernels.call.patches(
          ...[seen, count, before.pitch, before.height, before.width, from.channels, size],
          ...[windows, inputs, 0],
        );
        const left = { at: windows, width: inputs };
        const right = { at: made.gradient + 4 * first * valueCount(to), width: to.channels };
        const what = first === 0 ? 'set' : 'add';
        crossProduct({ kernels, panel }, count * pixels, left, right, gradient, what);
        kernels.call.convolve(
          ...[after.put(made.gradient, first, count), count, after.pitch],
          ...[after.height, after.width, to.channels, size, turned, from.channels, 0],
          ...[given.gradient + 4 * first * valueCount(from), panel],
        );
      });
    },
  };
}

/** Images of one form with zeros around them. */
function createFrame(
  { kernels }: GeneratorSpace,
  { channels, height, width }: ValueShape,
  size: number,
  together: number,
) {
  const padding = (size - 1) / 2;
  const [high, wide] = [height + 2 * padding, width + 2 * padding];
  const pitch = channels * high * wide;
  const framed = kernels.allocate(4 * together * pitch + 12 * channels + 64);
  const values = channels * height * width;
  return {
    pitch,
    height: high,
    width: wide,
    /** Copies some images of a batch into it; returns its bytes. */
    put(images: number, first: number, count: number): number {
      const source = images + 4 * first * values;
      kernels.call.frame(source, count, values, height, width, channels, padding, framed);
      return framed;
    },
  };
}

/** The weights of the convolution that takes gradients back: windows turned by half a circle, inputs and outputs exchanged. */
function turnWeights(
  weights: Float32Array,
  { from, to, size }: Extract<GeneratorLayer, { kind: 'convolution' }>,
  targetOf: (count: number) => Float32Array,
): void {
  const target = targetOf(weights.length);
  const last = size * size - 1;
  for (let tap = 0; tap <= last; tap++) {
    for (let c = 0; c < from.channels; c++) {
      for (let o = 0; o < to.channels; o++) {
        target[((last - tap) * to.channels + o) * from.channels + c] =
          weights[(tap * from.channels + c) * to.channels + o];
      }
    }
  }
}
