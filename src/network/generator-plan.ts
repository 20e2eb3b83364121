import { plainValues, type ValueShape, valueCount } from './network-plan.ts';
import { fours } from './weight-layout.ts';

/**
 * A layer of a generator. Its values are [pixel][channel], and channels come in multiples of 4. Weights of a window are [row, column,
 * channel][output]; no layer before a norm has a bias, since the norm would remove it.
 */
export type GeneratorLayer = { readonly from: ValueShape; readonly to: ValueShape } & (
  | { readonly kind: 'dense'; readonly start: number }
  | { readonly kind: 'convolution'; readonly start: number; readonly size: number }
  /** Scales, then shifts of the channels; negative values are multiplied by `slope` afterwards. */
  | { readonly kind: 'norm'; readonly start: number; readonly slope: number }
  | { readonly kind: 'upsample' }
);

/** From codes to inputs of a network. */
export interface GeneratorPlan {
  /** The inputs that it makes. */
  readonly input: ValueShape;
  /** Numbers of a code. */
  readonly code: number;
  readonly layers: readonly GeneratorLayer[];
  /** Place of the shifts before the sigmoid, one for each channel of the inputs, up to a multiple of 4. */
  readonly shifts: number;
  /** Number of all weights. */
  readonly weights: number;
}

/** Side of the windows. */
const SIZE = 3;

/** Slope of a leaky ReLU below 0. */
const LEAK = 0.2;

/**
 * The generator for inputs of one form. Images: a dense layer to small images of `width` channels, then twice as large and a
 * convolution, two times, then one more convolution (DENSE's own generator). Plain values: two hidden layers of `width` units.
 */
export function planGenerator(input: ValueShape, width: number, code: number): GeneratorPlan {
  const layers: GeneratorLayer[] = [];
  let from = plainValues(code);
  let weights = 0;
  const take = (count: number) => {
    const start = weights;
    weights += count;
    return start;
  };
  const dense = (to: ValueShape) => {
    const start = take(valueCount(from) * valueCount(to));
    layers.push({ kind: 'dense', from, to, start });
    from = to;
  };
  const convolution = (channels: number) => {
    const to = { ...from, channels };
    const start = take(SIZE * SIZE * from.channels * channels);
    layers.push({ kind: 'convolution', from, to, start, size: SIZE });
    from = to;
  };
  const norm = (slope: number) => {
    layers.push({ kind: 'norm', from, to: from, start: take(2 * from.channels), slope });
  };
  const upsample = (height: number, wide: number) => {
    const to = { ...from, height, width: wide };
    layers.push({ kind: 'upsample', from, to });
    from = to;
  };
  const channels = fours(input.channels);
  if (input.height * input.width === 1) {
    dense(plainValues(width));
    norm(LEAK);
    dense(plainValues(width));
    norm(LEAK);
    dense(plainValues(channels));
  } else {
    const half = (side: number) => Math.ceil(side / 2);
    const middle = { height: half(input.height), width: half(input.width) };
    dense({ channels: width, height: half(middle.height), width: half(middle.width) });
    norm(1);
    upsample(middle.height, middle.width);
    convolution(width);
    norm(LEAK);
    upsample(input.height, input.width);
    convolution(width / 2);
    norm(LEAK);
    convolution(channels);
  }
  const shifts = take(channels);
  return { input, code, layers, shifts, weights };
}

/** Bytes that a generator of batches would reserve, to a factor of two. */
export function generatorBytes({ layers, weights, code }: GeneratorPlan, batch: number): number {
  const numbers = layers.reduce((sum, layer) => {
    const made = 2 * batch * valueCount(layer.to);
    if (layer.kind === 'dense') return sum + made + valueCount(layer.from) * valueCount(layer.to);
    if (layer.kind !== 'convolution') return sum + made;
    return sum + made + valueCount(layer.from) * layer.size ** 2;
  }, 0);
  return 4 * (numbers + 4 * (weights + batch * code));
}
