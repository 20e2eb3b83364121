import type { GeneratorLayer } from './generator-plan.ts';
import {
  type BatchValues,
  batchValues,
  type GeneratorSpace,
  type RunningLayer,
} from './generator-space.ts';
import { valueCount } from './network-plan.ts';

/** Images twice as high and wide, each pixel four times; of an odd size the last row or column is left out. */
export function generatorUpsample(
  space: GeneratorSpace,
  { from, to }: Extract<GeneratorLayer, { kind: 'upsample' }>,
  given: BatchValues,
): RunningLayer {
  const { kernels, batch } = space;
  const { channels } = from;
  const made = batchValues(space, valueCount(to), channels);
  const [small, large] = [valueCount(from), valueCount(to)];
  const sources = Int32Array.from({ length: to.height * to.width }, (_, pixel) => {
    const y = Math.floor(pixel / to.width);
    const x = pixel - y * to.width;
    return (Math.floor(y / 2) * from.width + Math.floor(x / 2)) * channels;
  });
  return {
    made,
    forward() {
      const values = kernels.f32(given.values, batch * small);
      const target = kernels.f32(made.values, batch * large);
      for (let first = 0, at = 0; first < batch * small; first += small) {
        for (let pixel = 0; pixel < sources.length; pixel++, at += channels) {
          const source = first + sources[pixel];
          for (let c = 0; c < channels; c++) target[at + c] = values[source + c];
        }
      }
    },
    backward() {
      const gradient = kernels.f32(made.gradient, batch * large);
      const target = kernels.f32(given.gradient, batch * small).fill(0);
      for (let first = 0, at = 0; first < batch * small; first += small) {
        for (let pixel = 0; pixel < sources.length; pixel++, at += channels) {
          const source = first + sources[pixel];
          for (let c = 0; c < channels; c++) target[source + c] += gradient[at + c];
        }
      }
    },
  };
}
