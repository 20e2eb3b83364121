import { trainingKernels } from '../numeric/kernels.ts';
import { namedWords } from '../random/named-words.ts';
import { normals } from '../random/normals.ts';
import { generatedInputs, type ValueRange } from './generated-inputs.ts';
import { generatorConvolution } from './generator-convolution.ts';
import { generatorDense } from './generator-dense.ts';
import { generatorNorm } from './generator-norm.ts';
import type { GeneratorLayer, GeneratorPlan } from './generator-plan.ts';
import type { BatchValues, GeneratorSpace, RunningLayer } from './generator-space.ts';
import { generatorUpsample } from './generator-upsample.ts';
import { valueCount } from './network-plan.ts';
import { adamOptimiser } from './optimiser.ts';

/** A network that makes one batch of inputs from codes; weights and codes learn together. */
export interface Generator {
  /** Weights, then the codes of the batch. */
  parameters(): Float32Array;
  /** Draws weights and codes anew. */
  draw(name: string): void;
  /** The batch: a row for each input, in the order of a network's plan. The next pass writes over it. */
  forward(): Float32Array;
  /** The gradient by the parameters, from that by the batch. */
  backward(gradient: Float32Array): Float32Array;
  /** One step of Adam along the last gradient. */
  step(): void;
}

const RATE = 1e-3;
/** The part of the mean gradient that Adam keeps. */
const KEPT = 0.5;

/** A generator of batches; `ranges` are those of the channels of its inputs. */
export function createGenerator(
  plan: GeneratorPlan,
  ranges: readonly ValueRange[],
  batch: number,
): Generator {
  const kernels = trainingKernels();
  const length = plan.weights + batch * plan.code;
  const reserve = () => kernels.allocate(4 * length + 12 * plan.code + 64);
  const weights = { values: reserve(), gradient: reserve() };
  const space = { kernels, batch, weights };
  const codes = {
    values: weights.values + 4 * plan.weights,
    gradient: weights.gradient + 4 * plan.weights,
  };
  const layers: RunningLayer[] = [];
  for (const layer of plan.layers) {
    layers.push(runningLayer(space, layer, layers.at(-1)?.made ?? codes));
  }
  const end = generatedInputs(space, plan, ranges, layers[layers.length - 1].made);
  const optimiser = adamOptimiser({ kernels, weights: weights.values, length }, RATE, KEPT);
  const parameters = () => kernels.f32(weights.values, length);
  let steps = 0;
  return {
    parameters,
    draw(name) {
      const own = parameters().fill(0);
      const normal = normals(namedWords(`${name} codes`));
      for (let k = plan.weights; k < length; k++) own[k] = normal();
      for (const [k, layer] of plan.layers.entries()) drawLayer(own, layer, `${name} layer ${k}`);
      for (const bytes of optimiser.memory) kernels.f32(bytes, length).fill(0);
      steps = 0;
    },
    forward() {
      for (const layer of layers) layer.forward();
      return end.forward();
    },
    backward(gradient) {
      end.backward(gradient);
      for (const layer of layers.toReversed()) layer.backward();
      return kernels.f32(weights.gradient, length);
    },
    step: () => optimiser.step(weights.gradient, ++steps),
  };
}

function runningLayer(
  space: GeneratorSpace,
  layer: GeneratorLayer,
  given: BatchValues,
): RunningLayer {
  if (layer.kind === 'dense') return generatorDense(space, layer, given);
  if (layer.kind === 'convolution') return generatorConvolution(space, layer, given);
  if (layer.kind === 'norm') return generatorNorm(space, layer, given);
  return generatorUpsample(space, layer, given);
}

/** First weights: uniform on ±1/√inputs as PyTorch draws them; a norm changes nothing at first. */
function drawLayer(weights: Float32Array, layer: GeneratorLayer, name: string): void {
  if (layer.kind === 'upsample') return;
  const { start, from, to } = layer;
  if (layer.kind === 'norm') {
    weights.fill(1, start, start + from.channels);
    return;
  }
  const dense = layer.kind === 'dense';
  const inputs = dense ? valueCount(from) : layer.size ** 2 * from.channels;
  const outputs = dense ? valueCount(to) : to.channels;
  const words = namedWords(name);
  const bound = 1 / Math.sqrt(inputs);
  for (let k = 0; k < inputs * outputs; k++) {
    weights[start + k] = bound * (words() / 2 ** 31 - 1);
  }
}
