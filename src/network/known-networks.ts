import type { Network } from './network.ts';

const relu = { kind: 'relu' } as const;
const pool = { kind: 'max-pool', size: 2 } as const;
const convolution = (channels: number) => ({ kind: 'convolution', channels, size: 5 }) as const;
const dense = (units: number) => ({ kind: 'dense', units }) as const;

/** LeNet as FedFisher's authors wrote it, for grey images of 28 × 28: 44,190 weights for ten classes, no biases. */
export const leNet: Network = {
  layers: [
    ...[convolution(6), relu, pool, convolution(16), relu, pool],
    ...[dense(120), relu, dense(84), relu],
  ],
  bias: false,
  pixels: [{ mean: 0.1307, deviation: 0.3081 }],
};

/** The convolutional network of FedFisher's authors for colour images of 32 × 32; no biases. */
export const fedNet: Network = {
  layers: [
    ...[convolution(32), relu, pool, convolution(64), relu, pool],
    ...[dense(512), relu, dense(128), relu],
  ],
  bias: false,
  pixels: [
    { mean: 0.4914, deviation: 0.247 },
    { mean: 0.4822, deviation: 0.2435 },
    { mean: 0.4465, deviation: 0.2616 },
  ],
};

/** A network of dense layers with ReLU between them. */
export function perceptron(...units: readonly number[]): Network {
  return { layers: units.flatMap((count) => [dense(count), relu]) };
}
