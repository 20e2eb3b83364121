import type { NetworkPlan, PlannedLayer, ValueShape } from '../network/network-plan.ts';
import type { Interval } from './interval.ts';

/** All values of one channel, and their mean square if the inputs are unrelated with mean 0 and variance 1. */
export interface ChannelRange extends Interval {
  readonly square: number;
}

/** Share of a value by which a product or a sum in single precision is rounded, twice over. */
const ROUNDING = 2 ** -23;

/** Beyond this a sum in single precision may be no number, and so may everything after it. */
const LARGEST_VALUE = 2 ** 100;
const UNBOUNDED: ChannelRange = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  square: Number.POSITIVE_INFINITY,
};

/**
 * What every output of a network can be, by interval arithmetic from layer to layer, with room for the rounding of single
 * precision. All positions of a channel get one interval. Bounds are not finite where a value can become too large to hold.
 */
export function networkRanges(
  { input, layers, outputs }: NetworkPlan,
  weights: Float32Array,
  inputs: readonly Interval[],
): ChannelRange[] {
  let ranges: readonly ChannelRange[] = inputs.map(({ low, high }) => ({ low, high, square: 1 }));
  for (const layer of layers) ranges = rangesAfter(layer, weights, ranges);
  const positions = positionsOf(layers.at(-1)?.to ?? input);
  return Array.from({ length: outputs }, (_, k) => ranges[Math.floor(k / positions)]);
}

function rangesAfter(
  layer: PlannedLayer,
  weights: Float32Array,
  ranges: readonly ChannelRange[],
): readonly ChannelRange[] {
  if (layer.kind === 'max-pool') return ranges;
  if (layer.kind === 'relu') return ranges.map(positive);
  if (layer.kind === 'dense') return weighted(layer, positionsOf(layer.from), weights, ranges);
  const { size, padding } = layer;
  const seen = padding === 0 ? ranges : ranges.map(withZero);
  return weighted(layer, size * size, weights, seen);
}

function positive({ low, high, square }: ChannelRange): ChannelRange {
  return { low: Math.max(0, low), high: Math.max(0, high), square: square / 2 };
}

function withZero({ low, high, square }: ChannelRange): ChannelRange {
  return { low: Math.min(0, low), high: Math.max(0, high), square };
}

/** Weighted sums, each of `repeated` inputs of every channel, and the bias. */
function weighted(
  { weights: block }: Extract<PlannedLayer, { readonly weights: unknown }>,
  repeated: number,
  weights: Float32Array,
  ranges: readonly ChannelRange[],
): ChannelRange[] {
  const { start, rows, columns, bias } = block;
  return Array.from({ length: rows }, (_, row) => {
    const first = start + row * columns;
    const constant = bias ? weights[first + columns - 1] : 0;
    let [low, high, square] = [constant, constant, constant * constant];
    let reach = Math.abs(constant);
    ranges.forEach((range, channel) => {
      const from = first + channel * repeated;
      for (let k = from; k < from + repeated; k++) {
        const weight = weights[k];
        const [a, b] = [weight * range.low, weight * range.high];
        low += Math.min(a, b);
        high += Math.max(a, b);
        reach += Math.max(Math.abs(a), Math.abs(b));
        square += weight * weight * range.square;
      }
    });
    if (!(reach <= LARGEST_VALUE)) return UNBOUNDED;
    const slack = reach * (columns + 2) * ROUNDING;
    return { low: low - slack, high: high + slack, square };
  });
}

function positionsOf({ height, width }: ValueShape): number {
  return height * width;
}
