import { createEngine } from '../../src/network/engine.ts';
import {
  type NetworkPlan,
  type PlannedLayer,
  plainValues,
  valueCount,
  type WeightBlock,
} from '../../src/network/network-plan.ts';
import { PIXELS } from './inversion-data.ts';
import { CODE, HIDDEN, type ImageGenerator } from './inversion-prior.ts';

/** A network whose images come from a generator. The codes of the images are the weights of a first layer: CODE × images. */
export interface CodeNetwork {
  /** Outputs, a row for each image. */
  forward(codes: Float32Array): Float32Array;
  /** The gradient by the codes, from that by the outputs. */
  backward(outputGradient: Float32Array): Float32Array;
}

/** The generator, then the network up to the inputs of its layer `until`, or all of it. */
export function codeNetwork(
  generator: ImageGenerator,
  network: NetworkPlan,
  weights: Float32Array,
  images: number,
  until?: number,
): CodeNetwork {
  const layers: PlannedLayer[] = [];
  const parts: Float32Array[] = [];
  let length = 0;
  const block = (given: Omit<WeightBlock, 'index' | 'name' | 'start'>, own: Float32Array) => {
    const made = { ...given, index: parts.length, name: `layer${parts.length}`, start: length };
    parts.push(own);
    length += own.length;
    return made;
  };
  const dense = (rows: number, inputs: number, bias: boolean, own: Float32Array) => {
    const columns = inputs + (bias ? 1 : 0);
    const placed = block({ rows, columns, bias, positions: 1 }, own);
    const [from, to] = [plainValues(inputs), plainValues(rows)];
    layers.push({ kind: 'dense', from, to, weights: placed });
  };
  dense(CODE, images, false, new Float32Array(CODE * images));
  dense(HIDDEN, CODE, true, generator.first);
  layers.push({ kind: 'relu', from: plainValues(HIDDEN), to: plainValues(HIDDEN) });
  dense(PIXELS, HIDDEN, true, generator.second);
  const end = network.layers.findIndex(
    (layer) => 'weights' in layer && layer.weights.index === until,
  );
  for (const layer of end < 0 ? network.layers : network.layers.slice(0, end)) {
    if (!('weights' in layer)) {
      layers.push(layer);
      continue;
    }
    const { start, rows, columns } = layer.weights;
    const own = weights.subarray(start, start + rows * columns);
    layers.push({ ...layer, weights: block(layer.weights, own) });
  }
  const outputs = end < 0 ? network.outputs : valueCount(network.layers[end]!.from);
  // An engine ends with a dense layer, as the generator does: this one changes nothing.
  if (end > 0) dense(outputs, outputs, false, identity(outputs));
  const blocks = layers.flatMap((layer) => ('weights' in layer ? [layer.weights] : []));
  const plan = { input: plainValues(images), layers, blocks, weights: length, outputs };
  return running(plan, parts, images);
}

function running(plan: NetworkPlan, parts: readonly Float32Array[], images: number): CodeNetwork {
  const engine = createEngine(plan, images);
  const weights = new Float32Array(plan.weights);
  for (const [k, own] of parts.entries()) weights.set(own, plan.blocks[k]!.start);
  return {
    forward(codes) {
      weights.set(codes);
      engine.load(weights);
      engine.inputs().set(identity(images));
      return engine.forward(images);
    },
    backward: (gradient) => engine.backward(gradient).slice(0, CODE * images),
  };
}

function identity(size: number): Float32Array {
  const matrix = new Float32Array(size * size);
  for (let k = 0; k < size; k++) matrix[k * (size + 1)] = 1;
  return matrix;
}
