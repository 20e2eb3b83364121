import type { Kernels } from '../numeric/kernels.ts';
import type { WeightPlace } from './backbone-blocks.ts';

/** A layer's weights and biases in kernel memory. */
export interface LoadedLayer {
  readonly weights: number;
  readonly biases: number;
}

/** Puts layers of the model's file into kernel memory. */
export interface WeightLoader {
  /** A 1×1 convolution (or a matrix), `inner` × `outer`, in panels of 8 columns: [panel][inner][8]. */
  matrix(place: WeightPlace, inner: number, outer: number): LoadedLayer;
  /** Depthwise filters, [row][column][channel]. */
  filters(place: WeightPlace, size: number, channels: number): LoadedLayer;
}

/** Reads numbers from the bytes of the model's file, from an offset on. */
export function weightReader(bytes: Uint8Array): (at: number, count: number) => Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (at, count) => {
    const values = new Float32Array(count);
    for (let k = 0; k < count; k++) values[k] = float16(view.getUint16(at + 2 * k, true));
    return values;
  };
}

/** Reads layers from the bytes of the model's file. */
export function weightLoader(kernels: Kernels, bytes: Uint8Array): WeightLoader {
  const read = weightReader(bytes);
  const store = (values: Float32Array): number => {
    const pointer = kernels.allocate(4 * values.length);
    kernels.f32(pointer, values.length).set(values);
    return pointer;
  };
  return {
    matrix([weights, biases], inner, outer) {
      const given = read(weights, inner * outer);
      const packed = new Float32Array(given.length);
      for (let k = 0; k < inner; k++) {
        for (let n = 0; n < outer; n++) {
          packed[(n >> 3) * 8 * inner + 8 * k + (n & 7)] = given[k * outer + n];
        }
      }
      return { weights: store(packed), biases: store(read(biases, outer)) };
    },
    filters: ([weights, biases], size, channels) => ({
      weights: store(read(weights, size * size * channels)),
      biases: store(read(biases, channels)),
    }),
  };
}

/** The number that 16 bits stand for (IEEE 754 half precision); exact in float32. */
export function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
