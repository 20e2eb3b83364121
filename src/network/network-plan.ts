import { DataError } from '../data-error.ts';
import type { ImageShape } from '../study/study.ts';
import { layerLimits, type Network, type NetworkLayer } from './network.ts';

/** The form of the values between two layers: channels of images, or plain values (height and width 1). */
export interface ValueShape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** A layer with the forms of its input and output. */
export type PlannedLayer = { readonly from: ValueShape; readonly to: ValueShape } & (
  | { readonly kind: 'dense'; readonly weights: WeightBlock }
  | {
      readonly kind: 'convolution';
      readonly weights: WeightBlock;
      readonly size: number;
      readonly padding: number;
    }
  | { readonly kind: 'max-pool'; readonly size: number }
  | { readonly kind: 'relu' }
);

/**
 * The weights of one layer, as a matrix among all weights: a row for each output (or output channel), a column for each input
 * (of a window: channel, then row, then column), and the bias as the last column.
 */
export interface WeightBlock {
  /** Counts the layers with weights, from 0. */
  readonly index: number;
  readonly name: string;
  /** Place of its first number among all weights. */
  readonly start: number;
  readonly rows: number;
  /** Inputs, and one more if there is a bias. */
  readonly columns: number;
  readonly bias: boolean;
  /** Pixels of the output, at each of which the weights are used once; 1 for a dense layer. */
  readonly positions: number;
}

/** A network with all its forms, the last layer included. */
export interface NetworkPlan {
  readonly input: ValueShape;
  readonly layers: readonly PlannedLayer[];
  readonly blocks: readonly WeightBlock[];
  /** Number of all weights. */
  readonly weights: number;
  readonly outputs: number;
}

const MOST_WEIGHTS = 4_000_000;

/** The form of plain values. */
export function plainValues(count: number): ValueShape {
  return { channels: count, height: 1, width: 1 };
}

/** The form of images. */
export function imageValues({ channels, height, width }: ImageShape): ValueShape {
  return { channels, height, width };
}

/** Number of values of a form. */
export function valueCount({ channels, height, width }: ValueShape): number {
  return channels * height * width;
}

/** The plan of a network for inputs of one form; refuses layers that do not fit. */
export function planNetwork(network: Network, input: ValueShape, outputs: number): NetworkPlan {
  const bias = network.bias ?? true;
  const layers: PlannedLayer[] = [];
  const blocks: WeightBlock[] = [];
  let from = input;
  let start = 0;
  const block = (kind: string, rows: number, inputs: number, positions: number): WeightBlock => {
    const columns = inputs + (bias ? 1 : 0);
    const index = blocks.length;
    const made = { index, name: `${kind}${index + 1}`, start, rows, columns, bias, positions };
    blocks.push(made);
    start += rows * columns;
    return made;
  };
  const dense = (units: number) => {
    const to = plainValues(units);
    layers.push({ kind: 'dense', from, to, weights: block('dense', units, valueCount(from), 1) });
    from = to;
  };
  network.layers.forEach((layer, place) => {
    refuseNumbers(layer, place);
    if (layer.kind === 'dense') {
      dense(layer.units);
      return;
    }
    if (layer.kind === 'relu') {
      layers.push({ kind: 'relu', from, to: from });
      return;
    }
    const to = windowed(from, layer, place);
    if (layer.kind === 'max-pool') {
      layers.push({ ...layer, from, to });
    } else {
      const { channels, size, padding = 0 } = layer;
      const inputs = from.channels * size * size;
      const weights = block('convolution', channels, inputs, to.height * to.width);
      layers.push({ kind: 'convolution', from, to, weights, size, padding });
    }
    from = to;
  });
  dense(outputs);
  if (start > MOST_WEIGHTS) {
    throw new DataError(
      `the network has ${start} weights; at most ${MOST_WEIGHTS} are possible`,
      {},
      'choose fewer units or channels',
    );
  }
  return { input, layers, blocks, weights: start, outputs };
}

/** Refuses a layer whose numbers no schema has checked. */
function refuseNumbers(layer: NetworkLayer, place: number): void {
  const given = new Map<string, unknown>(Object.entries(layer));
  for (const [name, most] of Object.entries(layerLimits)) {
    const value = given.get(name);
    const least = name === 'padding' ? 0 : 1;
    const fits = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    if (value === undefined || fits) continue;
    throw new DataError(
      `layer ${place + 1} of the network: its ${name} must be a whole number from ${least} to ${most}`,
      {},
      'give layers of another size',
    );
  }
}

/** The form after a window has moved over the input. */
function windowed(
  from: ValueShape,
  layer: Exclude<Network['layers'][number], { kind: 'dense' } | { kind: 'relu' }>,
  place: number,
): ValueShape {
  const pooled = layer.kind === 'max-pool';
  const around = pooled ? 0 : 2 * (layer.padding ?? 0);
  const side = (length: number) =>
    pooled ? Math.floor(length / layer.size) : length + around - layer.size + 1;
  const to = {
    channels: pooled ? from.channels : layer.channels,
    height: side(from.height),
    width: side(from.width),
  };
  if (to.height >= 1 && to.width >= 1) return to;
  throw new DataError(
    `layer ${place + 1} of the network has windows of ${layer.size} × ${layer.size}, and its input is ${from.height} × ${from.width}`,
    {},
    'choose smaller windows, or put dense layers in their place',
  );
}
