import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import {
  BACKBONE_BYTES,
  type BackboneLayer,
  backboneLayers,
} from '../src/features/backbone-blocks.ts';
import { WEIGHTS_SHA256 } from '../src/features/backbone-map.ts';
import { type BackboneNetwork, backboneNetwork } from '../src/features/backbone-network.ts';
import { readPinned } from '../src/node/files/pinned-file.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line } from './table.ts';

/**
 * Features of images beside TensorFlow.js on WASM, one thread each. SUFFICE_TFJS names a folder with @tensorflow/tfjs-core,
 * tfjs-converter and tfjs-backend-wasm 4.22 and @vladmandic/human 3.3.6 in its node_modules.
 */
export const backbone: Section = { name: 'backbone', title: 'Backbone features of images', run };

const layers = Object.keys(backboneLayers) as BackboneLayer[];
const IMAGES = 32;
const SIDE = 32;

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const folder = resolve(process.env.SUFFICE_TFJS ?? '.', 'node_modules');
  process.env.SUFFICE_MODELS ??= join(folder, '@vladmandic/human/models');
  const pixels = Float32Array.from(
    { length: IMAGES * SIDE * SIDE * 3 },
    (_, k) => (k * k * 31 + (k % 96) * 7) % 256,
  );
  const weights = weightsHere();
  if (weights === undefined) {
    note('backbone: @vladmandic/human is not installed');
    return [];
  }
  const peer = await tensorflow(folder).catch(() => undefined);
  if (peer === undefined) note('backbone: TensorFlow.js is not installed; see bench/backbone.ts');
  const lines: Line[] = [];
  for (const side of [96, 160]) {
    const image = { height: SIDE, width: SIDE, channels: 3 } as const;
    const network = backboneNetwork(weights, layers, side, image);
    const ours = () => cpuMs(() => runAll(network, pixels));
    const theirs = () => (peer === undefined ? Number.NaN : cpuMs(() => peer(pixels, side)));
    const best = await inTurn(quick ? 3 : 12, { ours, theirs });
    const text = (ms: number) => `${ms.toFixed(2)} ms an image`;
    lines.push({
      what: `five layers at ${side} × ${side}`,
      ours: text(best.ours),
      ...(peer !== undefined && {
        peer: `tfjs-wasm ${text(best.theirs)}`,
        ...held(best.ours / best.theirs, '≤', 1.5),
      }),
    });
  }
  return lines;
}

function weightsHere(): Uint8Array | undefined {
  try {
    const place = { package: '@vladmandic/human', version: '3.3.6', path: 'models/centernet.bin' };
    return readPinned({ ...place, sha256: WEIGHTS_SHA256, bytes: BACKBONE_BYTES });
  } catch {
    return undefined;
  }
}

function runAll(network: BackboneNetwork, pixels: Float32Array): void {
  const values = SIDE * SIDE * 3;
  for (let first = 0; first < IMAGES; first += network.most) {
    network.pixels.set(pixels.subarray(first * values, (first + network.most) * values));
    network.run(network.most);
  }
}

/** CPU milliseconds an image: a busy machine does not count. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / IMAGES;
}

/** The same layers in TensorFlow.js, all images in one batch. */
async function tensorflow(folder: string): Promise<(pixels: Float32Array, side: number) => void> {
  const require = createRequire(join(folder, 'any.js'));
  const tf = require('@tensorflow/tfjs-core');
  const { loadGraphModel } = require('@tensorflow/tfjs-converter');
  const { setWasmPaths, setThreadsCount } = require('@tensorflow/tfjs-backend-wasm');
  setWasmPaths(`${join(folder, '@tensorflow/tfjs-backend-wasm/dist')}/`);
  setThreadsCount(1);
  await tf.setBackend('wasm');
  const models = join(folder, '@vladmandic/human/models');
  const json = JSON.parse(readFileSync(join(models, 'centernet.json'), 'utf8'));
  const bytes = readFileSync(join(models, 'centernet.bin'));
  const { modelTopology, weightsManifest } = json;
  const input = modelTopology.node.find(({ op }: { op: string }) => op === 'Placeholder');
  input.attr.shape.shape.dim = [-1, -1, -1, 3].map((size) => ({ size: String(size) }));
  const model = await loadGraphModel({
    load: async () => ({
      modelTopology,
      format: 'graph-model',
      weightSpecs: weightsManifest[0].weights,
      weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    }),
  });
  const nodes = layers.map((layer) =>
    layer === 'extern1'
      ? 'tower_0/extern1/BatchNorm/FusedBatchNorm'
      : `tower_0/MobilenetV3/expanded_${layer}/depthwise/depthwise`,
  );
  return (pixels, side) => {
    tf.tidy(() => {
      const images = tf.tensor4d(pixels, [IMAGES, SIDE, SIDE, 3]);
      const resized = tf.image.resizeBilinear(images, [side, side]);
      for (const made of model.execute(resized, nodes)) tf.mean(made, [1, 2]).dataSync();
    });
  };
}
