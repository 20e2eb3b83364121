// Makes backbone.json: node backbone.mjs FOLDER, where FOLDER has
//   npm install --ignore-scripts @vladmandic/human@3.3.6 @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-converter@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0
// Channel means of layers of models/centernet.json as TensorFlow.js (WASM) computes them, every 12th channel of each layer.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2], 'node_modules');
const require = createRequire(join(folder, 'any.js'));
const tf = require('@tensorflow/tfjs-core');
const { loadGraphModel } = require('@tensorflow/tfjs-converter');
const { setWasmPaths } = require('@tensorflow/tfjs-backend-wasm');

const layers = {
  conv_8: 'tower_0/MobilenetV3/expanded_conv_8/depthwise/depthwise',
  conv_11: 'tower_0/MobilenetV3/expanded_conv_11/depthwise/depthwise',
  conv_13: 'tower_0/MobilenetV3/expanded_conv_13/depthwise/depthwise',
  conv_14: 'tower_0/MobilenetV3/expanded_conv_14/depthwise/depthwise',
  extern1: 'tower_0/extern1/BatchNorm/FusedBatchNorm',
};
const STEP = 12;

setWasmPaths(`${join(folder, '@tensorflow/tfjs-backend-wasm/dist')}/`);
await tf.setBackend('wasm');
const models = join(folder, '@vladmandic/human/models');
const { modelTopology, weightsManifest } = JSON.parse(readFileSync(join(models, 'centernet.json'), 'utf8'));
const weights = readFileSync(join(models, 'centernet.bin'));
const input = modelTopology.node.find(({ op }) => op === 'Placeholder');
input.attr.shape.shape.dim = [-1, -1, -1, 3].map((size) => ({ size: String(size) }));
const model = await loadGraphModel({
  load: async () => ({
    modelTopology,
    format: 'graph-model',
    weightSpecs: weightsManifest[0].weights,
    weightData: weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength),
  }),
});

/** The image that the test draws too. */
function drawnImage(height, width, channels, seed) {
  return Float32Array.from({ length: height * width * channels }, (_, k) => {
    const [pixel, c] = [Math.floor(k / channels), k % channels];
    const [y, x] = [Math.floor(pixel / width), pixel % width];
    return (x * x * (3 + seed) + y * (7 * c + 5) + ((x * y) >> 2) * (11 + 2 * seed)) % 256;
  });
}

const cases = [
  { height: 32, width: 32, channels: 3, pixels: 96, seed: 1 },
  { height: 28, width: 28, channels: 1, pixels: 96, seed: 2 },
  { height: 9, width: 14, channels: 3, pixels: 65, seed: 3 },
  { height: 1, width: 1, channels: 3, pixels: 32, seed: 4 },
].map((one) => {
  const { height, width, channels, pixels, seed } = one;
  const image = tf.tensor4d(drawnImage(height, width, channels, seed), [1, height, width, channels]);
  const coloured = channels === 1 ? tf.tile(image, [1, 1, 1, 3]) : image;
  const resized = tf.image.resizeBilinear(coloured, [pixels, pixels]);
  const means = model
    .execute(resized, Object.values(layers))
    .map((made) => [...tf.mean(made, [1, 2]).dataSync()].filter((_, k) => k % STEP === 0));
  return { ...one, means: Object.fromEntries(Object.keys(layers).map((name, k) => [name, means[k]])) };
});
writeFileSync(
  new URL('backbone.json', import.meta.url),
  `${JSON.stringify({ made: 'by backbone.mjs with tfjs 4.22.0', step: STEP, cases }, (key, value) => (typeof value === 'number' ? Number(value.toPrecision(8)) : value))}\n`,
);
