import { describe, expect, it } from 'vitest';
import { resizeTables } from '../src/features/backbone-resize.ts';
import { float16, weightLoader } from '../src/features/backbone-weights.ts';
import { networkKernels } from '../src/numeric/kernels.ts';
import { samePadding } from '../src/numeric/same-padding.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import {
  activations,
  depthwiseTwin,
  meansTwin,
  patchesTwin,
  pointwiseTwin,
  resizeTwin,
} from './network-twin.ts';

const kernels = networkKernels();
const words = seededWords(9);
/** Numbers in (−8, 8) with all bits of a float32, some of them 0. */
const drawn = (length: number) =>
  Float32Array.from({ length }, () => (words() % 50 === 0 ? 0 : words() / 2 ** 28 - 8));

function put(values: Float32Array): number {
  const pointer = kernels.allocate(4 * values.length);
  kernels.f32(pointer, values.length).set(values);
  return pointer;
}

/** The values that a kernel writes; numbers around them must stay. */
function written(length: number, run: (target: number) => void): Float32Array {
  const target = kernels.allocate(4 * length + 64);
  kernels.f32(target, length + 16).fill(77);
  run(target);
  expect([...kernels.f32(target + 4 * length, 16)]).toEqual(new Array(16).fill(77));
  return kernels.f32(target, length).slice();
}

/** Weights as 16-bit floats of a file: the matrix, then the biases. */
function layerFile(inner: number, outer: number) {
  const halves = Uint16Array.from({ length: (inner + 1) * outer }, () => {
    const word = words();
    return (word & 0x83ff) | ((12 + ((word >>> 16) % 5)) << 10);
  });
  const values = Float32Array.from(halves, float16);
  return {
    bytes: new Uint8Array(halves.buffer),
    place: [0, 2 * inner * outer] as const,
    weights: values.slice(0, inner * outer),
    biases: values.slice(inner * outer),
  };
}

describe('layers in WASM are the layers in plain TypeScript, bit for bit', () => {
  it.each([
    // pixels, inner, outer, activation, residual
    [1, 27, 16, 2, false],
    [9, 8, 24, 1, false],
    [6, 5, 8, 3, false],
    [35, 300, 8, 0, true],
    [300, 16, 16, 0, true],
  ] as const)(
    '1×1: %d pixels, %d to %d channels, activation %d, residual %s',
    (pixels, inner, outer, activation, hasResidual) => {
      const { bytes, place, weights, biases } = layerFile(inner, outer);
      const input = drawn(pixels * inner);
      const residual = hasResidual ? drawn(pixels * outer) : undefined;
      const layer = weightLoader(kernels, bytes).matrix(place, inner, outer);
      const [from, beside] = [put(input), residual === undefined ? 0 : put(residual)];
      const made = written(pixels * outer, (target) => {
        const { pointwise } = kernels.call;
        pointwise(
          ...[from, pixels, inner, layer.weights, layer.biases, outer, target, activation, beside],
        );
      });
      expect(made).toEqual(pointwiseTwin(input, weights, biases, activation, residual));
    },
  );

  it.each([
    // side, channels, filter, stride, activation
    [7, 8, 3, 1, 1],
    [8, 16, 3, 2, 2],
    [7, 24, 3, 2, 0],
    [9, 8, 5, 1, 2],
    [10, 16, 5, 2, 1],
    [3, 8, 5, 1, 0],
    [1, 8, 5, 2, 0],
  ] as const)(
    'depthwise: side %d, %d channels, filter %d, stride %d',
    (side, channels, size, stride, activation) => {
      const { bytes, place, weights, biases } = layerFile(size * size, channels);
      const input = drawn(side * side * channels);
      const layer = weightLoader(kernels, bytes).filters(place, size, channels);
      const from = put(input);
      const out = Math.ceil(side / stride);
      const made = written(out * out * channels, (target) => {
        const before = samePadding(side, size, stride);
        kernels.call.depthwise(
          ...[from, side, side, channels, layer.weights, layer.biases, size, stride, before],
          ...[target, out, out, activation],
        );
      });
      const filter = [size, stride] as const;
      expect(made).toEqual(depthwiseTwin(input, side, weights, biases, filter, activation));
    },
  );

  it('means, gates and activations', () => {
    const [pixels, channels] = [25, 24];
    const values = drawn(pixels * channels);
    const gates = drawn(channels);
    const [from, by] = [put(values), put(gates)];
    const means = written(channels, (target) => {
      kernels.call.channelMeans(from, pixels, channels, target);
    });
    expect(means).toEqual(meansTwin(values, channels));
    for (const activation of [0, 1, 2, 3]) {
      const made = written(values.length, (target) => {
        kernels.f32(target, values.length).set(values);
        kernels.call.activateAll(target, values.length, activation);
      });
      expect(made).toEqual(values.map(activations[activation]));
    }
    const scaled = written(values.length, (target) => {
      kernels.f32(target, values.length).set(values);
      kernels.call.scaleChannels(target, pixels, channels, by);
    });
    expect(scaled).toEqual(values.map((value, at) => gates[at % channels] * value));
  });

  it.each([
    [3, 4, 3, 32],
    [28, 28, 1, 45],
    [1, 1, 3, 33],
    [40, 20, 1, 8],
  ] as const)('resize %d × %d × %d to %d, and its patches', (height, width, channels, size) => {
    const image = { height, width, channels };
    const input = drawn(height * width * channels);
    const from = put(input);
    const { rows, columns } = resizeTables(kernels, image, size);
    const resized = written(size * size * channels, (target) => {
      kernels.call.resizeBilinear(from, channels, rows, columns, size, target);
    });
    expect(resized).toEqual(resizeTwin(input, image, size));
    const pointer = put(resized);
    const three = written(size * size * 3, (target) => {
      if (channels === 1) kernels.call.repeatChannel(pointer, size * size, target);
      else kernels.f32(target, resized.length).set(resized);
    });
    if (channels === 1)
      expect(three).toEqual(Float32Array.from(three, (_, k) => resized[Math.floor(k / 3)]));
    const [coloured, out] = [put(three), Math.ceil(size / 2)];
    const patches = written(out * out * 27, (target) => {
      kernels.call.patches(coloured, size, samePadding(size, 3, 2), target, out);
    });
    expect(patches).toEqual(patchesTwin(three, size));
  });
});

it.each([
  [0x0000, 0],
  [0x0001, 2 ** -24],
  [0x03ff, 1023 * 2 ** -24],
  [0x0400, 2 ** -14],
  [0x3155, 0.1666259765625],
  [0x3c00, 1],
  [0xc200, -3],
  [0x7bff, 65504],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7e00, Number.NaN],
])('float16 %i is %d', (bits, value) => {
  expect(float16(bits)).toBe(value);
});
