import { type BackboneLayer, backboneLayers } from '../src/features/backbone-blocks.ts';
import { backboneNetwork } from '../src/features/backbone-network.ts';
import { digestBytes } from '../src/study/digest.ts';
import { drawnWeights } from './drawn-backbone.ts';

/** The digest of the features of two small images with drawn weights, in every engine. */
export const DRAWN_DIGEST =
  'sha256:e27b202808d22f4a50612b0612d006e2b1031d6694d9772388087fee07ce47f7';

/** Runs every layer of the network, with nothing but the library: the same in Node, on a page and in a worker. */
export function backboneDigest(): string {
  const layers = Object.keys(backboneLayers) as BackboneLayer[];
  const { bytes } = drawnWeights();
  const network = backboneNetwork(bytes, layers, 64, { height: 3, width: 4, channels: 3 });
  network.pixels.set(Float32Array.from({ length: 72 }, (_, k) => (k * k * 37) % 256));
  network.run(2);
  const width = layers.reduce((sum, layer) => sum + backboneLayers[layer], 0);
  return digestBytes(new Uint8Array(network.features.slice(0, 2 * width).buffer));
}
