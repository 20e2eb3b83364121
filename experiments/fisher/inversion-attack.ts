import { softmax } from '../../src/network/loss.ts';
import type { NetworkPlan } from '../../src/network/network-plan.ts';
import type { WeightLayer } from '../../src/network/stages.ts';
import { normals } from '../../src/random/normals.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import { codeNetwork } from './code-network.ts';
import { factorSlopes } from './factor-slopes.ts';
import { CLASSES, PIXELS, TARGET, unscaled } from './inversion-data.ts';
import { CODE, type ImageGenerator } from './inversion-prior.ts';

/** What the server knows of the network that it attacks. */
export interface Known {
  readonly plan: NetworkPlan;
  /** Weights of the client, or of the aggregate. */
  readonly weights: Float32Array;
  /** Factors of the inputs that the first client sent, by layer; those of some layers may be left out. */
  readonly factors?: ReadonlyMap<number, Float64Array>;
}

/** How the server goes about it. */
export interface Attack {
  readonly images: number;
  readonly steps: number;
  readonly seed: number;
}

const RATE = 0.05;
/** Weight of ½‖code‖², in place of a discriminator. */
const PRIOR = 0.02;
/** Weight of the relative squared error of each factor. */
const FACTOR = 10;

/** Codes to start from: standard normal, as those of the auxiliary data nearly are. */
export function drawnCodes({ images, seed }: Attack): Float32Array {
  return Float32Array.from({ length: CODE * images }, normals(seededWords(seed)));
}

/** The images of codes, with pixels from 0 to 1. */
export function generatedImages(
  generator: ImageGenerator,
  { plan, weights }: Known,
  codes: Float32Array,
): Float32Array[] {
  const count = codes.length / CODE;
  const values = codeNetwork(generator, plan, weights, count, 0).forward(codes);
  return Array.from({ length: count }, (_, k) =>
    values.slice(k * PIXELS, (k + 1) * PIXELS).map(unscaled),
  );
}

/**
 * Codes of images that the network takes for the target class: from drawn ones down −Σ ln p(target) + prior, by Adam; with
 * factors also down the difference between those of the generated images and those that the client sent.
 */
export function* invertedCodes(
  { plan, weights, factors }: Known,
  generator: ImageGenerator,
  attack: Attack,
): Generator<number, Float32Array> {
  const { images, steps } = attack;
  const codes = drawnCodes(attack);
  const terms = [
    { network: codeNetwork(generator, plan, weights, images), slopesOf: classSlopes },
    ...[...(factors ?? [])].map(([layer, sent]) => ({
      network: codeNetwork(generator, plan, weights, images, layer),
      slopesOf: factorSlopes(layerOf(plan, layer), sent, images, FACTOR),
    })),
  ];
  const step = adam(codes.length);
  for (let k = 1; k <= steps; k++) {
    const gradient = codes.map((code) => PRIOR * code);
    for (const { network, slopesOf } of terms) {
      const own = network.backward(slopesOf(network.forward(codes)));
      for (let at = 0; at < own.length; at++) gradient[at]! += own[at]!;
    }
    step(codes, gradient);
    if (k % 10 === 0) yield k / steps;
  }
  return codes;
}

function layerOf({ layers }: NetworkPlan, index: number): WeightLayer {
  return layers.find(
    (layer): layer is WeightLayer => 'weights' in layer && layer.weights.index === index,
  )!;
}

/** Slopes of −Σ ln p(target) by the outputs. */
function classSlopes(outputs: Float32Array): Float32Array {
  const shares = new Float64Array(CLASSES);
  const slopes = new Float32Array(outputs.length);
  for (let at = 0; at < outputs.length; at += CLASSES) {
    softmax(outputs, at, shares);
    for (let c = 0; c < CLASSES; c++) slopes[at + c] = shares[c]! - (c === TARGET ? 1 : 0);
  }
  return slopes;
}

/** Steps of Adam (Kingma & Ba 2015) with its usual constants. */
function adam(length: number) {
  const means = new Float64Array(length);
  const squares = new Float64Array(length);
  let [first, second] = [1, 1];
  return (values: Float32Array, gradient: Float32Array): void => {
    [first, second] = [first * 0.9, second * 0.999];
    for (let k = 0; k < length; k++) {
      const slope = gradient[k]!;
      means[k] = 0.9 * means[k]! + 0.1 * slope;
      squares[k] = 0.999 * squares[k]! + 0.001 * slope * slope;
      const size = Math.sqrt(squares[k]! / (1 - second)) + 1e-8;
      values[k]! -= (RATE * means[k]!) / (1 - first) / size;
    }
  };
}
