import {
  type BackboneLayer,
  backboneBlocks,
  backboneLayers,
  blockOf,
  lastLayer,
  stem,
  type WeightPlace,
} from '../src/features/backbone-blocks.ts';
import { float16 } from '../src/features/backbone-weights.ts';
import { samePadding } from '../src/numeric/same-padding.ts';
import type { ImageShape } from '../src/study/study.ts';

// What kernels/network.as.ts computes, number by number: its specification. Every operation is rounded to float32 by itself.

const { fround } = Math;
const SIXTH = 0.1666259765625; // 1/6 as float16

/** What follows a layer, by the number that the kernels have for it. */
export const activations: readonly ((x: number) => number)[] = [
  (x) => x,
  (x) => Math.max(x, 0),
  (x) => fround(fround(SIXTH * x) * relu6(x)),
  (x) => fround(SIXTH * relu6(x)),
];

function relu6(x: number): number {
  return Math.min(Math.max(fround(x + 3), 0), 6);
}

/** A 1×1 convolution: `weights` as [inner][outer]. */
export function pointwiseTwin(
  input: Float32Array,
  weights: Float32Array,
  biases: Float32Array,
  activation: number,
  residual?: Float32Array,
): Float32Array {
  const outer = biases.length;
  const inner = weights.length / outer;
  return Float32Array.from({ length: (input.length / inner) * outer }, (_, at) => {
    const [m, n] = [Math.floor(at / outer), at % outer];
    let sum = biases[n];
    for (let k = 0; k < inner; k++) {
      sum = fround(sum + fround(input[m * inner + k] * weights[k * outer + n]));
    }
    const made = activations[activation](sum);
    return residual === undefined ? made : fround(made + residual[at]);
  });
}

/** A depthwise convolution of a square image of side `side`. */
export function depthwiseTwin(
  input: Float32Array,
  side: number,
  weights: Float32Array,
  biases: Float32Array,
  [size, stride]: readonly [number, number],
  activation: number,
): Float32Array {
  const channels = biases.length;
  const before = samePadding(side, size, stride);
  const made = Math.ceil(side / stride);
  return Float32Array.from({ length: made * made * channels }, (_, at) => {
    const [pixel, c] = [Math.floor(at / channels), at % channels];
    const [y, x] = [Math.floor(pixel / made), pixel % made];
    let sum = biases[c];
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const [row, column] = [y * stride - before + i, x * stride - before + j];
        if (row < 0 || row >= side || column < 0 || column >= side) continue;
        const value = input[(row * side + column) * channels + c];
        sum = fround(sum + fround(value * weights[(i * size + j) * channels + c]));
      }
    }
    return activations[activation](sum);
  });
}

/** Means of the channels of one image. */
export function meansTwin(values: Float32Array, channels: number): Float32Array {
  const sums = new Float32Array(channels);
  values.forEach((value, at) => {
    sums[at % channels] += value;
  });
  return sums.map((sum) => sum / (values.length / channels));
}

/** Bilinear resize to `size` × `size`. */
export function resizeTwin(
  input: Float32Array,
  { height, width, channels }: ImageShape,
  size: number,
): Float32Array {
  const between = (from: number, to: number, at: number) =>
    fround(from + fround(fround(to - from) * at));
  const place = (k: number, length: number) => {
    const first = Math.floor((k * length) / size);
    const second = Math.min(first + 1, length - 1);
    return { first, second, at: fround(((k * length) % size) / size) };
  };
  return Float32Array.from({ length: size * size * channels }, (_, k) => {
    const [pixel, c] = [Math.floor(k / channels), k % channels];
    const row = place(Math.floor(pixel / size), height);
    const column = place(pixel % size, width);
    const value = (y: number, x: number) => input[(y * width + x) * channels + c];
    const line = (y: number) => between(value(y, column.first), value(y, column.second), column.at);
    return between(line(row.first), line(row.second), row.at);
  });
}

/** Neighbourhoods of 3×3 with stride 2 of a coloured image, as rows of 27 values. */
export function patchesTwin(input: Float32Array, side: number): Float32Array {
  const before = samePadding(side, 3, 2);
  const made = Math.ceil(side / 2);
  return Float32Array.from({ length: made * made * 27 }, (_, at) => {
    const [pixel, tap] = [Math.floor(at / 27), at % 27];
    const row = 2 * Math.floor(pixel / made) - before + Math.floor(tap / 9);
    const column = 2 * (pixel % made) - before + Math.floor((tap % 9) / 3);
    const inside = row >= 0 && row < side && column >= 0 && column < side;
    return inside ? input[(row * side + column) * 3 + (tap % 3)] : 0;
  });
}

/** The features of one image, layer by layer. */
export function networkTwin(
  bytes: Uint8Array,
  layers: readonly BackboneLayer[],
  size: number,
  image: ImageShape,
  pixels: Float32Array,
): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const read = (at: number, count: number) =>
    Float32Array.from({ length: count }, (_, k) => float16(view.getUint16(at + 2 * k, true)));
  const one = (
    input: Float32Array,
    [weights, biases]: WeightPlace,
    [inner, outer]: readonly [number, number],
    activation: number,
    residual?: Float32Array,
  ) =>
    pointwiseTwin(input, read(weights, inner * outer), read(biases, outer), activation, residual);
  const resized = resizeTwin(pixels, image, size);
  const coloured =
    image.channels === 3 ? resized : Float32Array.from([...resized].flatMap((v) => [v, v, v]));
  let side = Math.ceil(size / 2);
  let values = one(patchesTwin(coloured, size), stem.place, [27, stem.channels], 2);
  const means = new Map<number, Float32Array>();
  backboneBlocks.forEach((block, k) => {
    const [given, inside, made] = block.channels;
    const { gate, filter, expand } = block;
    const act = block.activation === 'relu' ? 1 : 2;
    const expanded = expand === undefined ? values : one(values, expand, [given, inside], act);
    const [weights, biases] = block.depthwise;
    const filters = read(weights, filter[0] ** 2 * inside);
    const filtered = depthwiseTwin(expanded, side, filters, read(biases, inside), filter, 0);
    means.set(k, meansTwin(filtered, inside));
    let active = filtered.map(activations[act]);
    if (gate !== undefined) {
      const squeezed = one(meansTwin(active, inside), gate.squeeze, [inside, gate.channels], 1);
      const gates = one(squeezed, gate.excite, [gate.channels, inside], 3);
      active = active.map((value, at) => gates[at % inside] * value);
    }
    const residual = given === made && filter[1] === 1 ? values : undefined;
    values = one(active, block.project, [inside, made], 0, residual);
    side = Math.ceil(side / filter[1]);
  });
  const last = one(values, lastLayer.place, [120, lastLayer.channels], 0);
  means.set(backboneBlocks.length, meansTwin(last, lastLayer.channels));
  return layers.flatMap((layer) => [
    ...means.get(blockOf(layer))!.subarray(0, backboneLayers[layer]),
  ]);
}
