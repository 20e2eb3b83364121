import { type NetworkPlan, type ValueShape, valueCount } from '../network/network-plan.ts';

/** A layer of a network as people see it. */
export interface DrawnLayer {
  readonly name: string;
  /** Number of values that leave it. */
  readonly values: number;
  /** Their form: "6 × 24 × 24", "32". */
  readonly form: string;
  /** Number of its weights, biases included. */
  readonly weights: number;
}

/** The layers of a network, its inputs first. */
export function drawnLayers({ input, layers }: NetworkPlan): DrawnLayer[] {
  return [
    { name: 'inputs', ...sizeOf(input), weights: 0 },
    ...layers.map((layer, k) => {
      const name = k === layers.length - 1 ? 'outputs' : names[layer.kind];
      const weights = 'weights' in layer ? layer.weights.rows * layer.weights.columns : 0;
      return { name, ...sizeOf(layer.to), weights };
    }),
  ];
}

const names = {
  dense: 'dense',
  convolution: 'convolution',
  'max-pool': 'largest of each window',
  relu: 'ReLU',
} as const;

function sizeOf(shape: ValueShape): Pick<DrawnLayer, 'values' | 'form'> {
  const { channels, height, width } = shape;
  const image = channels === 1 ? `${height} × ${width}` : `${channels} × ${height} × ${width}`;
  return { values: valueCount(shape), form: height * width === 1 ? String(channels) : image };
}
