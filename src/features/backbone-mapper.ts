import type { ImageShape } from '../study/study.ts';
import type { BackboneLayer } from './backbone-blocks.ts';
import { backboneNetwork } from './backbone-network.ts';
import { backboneScales } from './backbone-scales.ts';
import type { RowMapper } from './map-design.ts';
import type { PublicUnit } from './public-unit.ts';

/** Features are cut off here: sixteen public scales from the public centre. */
export const LARGEST_FEATURE = 16;

/** Maps rows of pixels to the features of the layers. Values from 0 to 255 go into the network as they are. */
export function backboneMapper(
  weights: Uint8Array,
  layers: readonly BackboneLayer[],
  pixels: number,
  image: ImageShape,
): RowMapper {
  const network = backboneNetwork(weights, layers, pixels, image);
  const units = layers.flatMap(layerUnits);
  return (columns, rows, target) => {
    const { length } = columns;
    for (let first = 0; first < rows; first += network.most) {
      const images = Math.min(network.most, rows - first);
      const given = network.pixels;
      columns.forEach(({ values }, k) => {
        for (let i = 0; i < images; i++) given[i * length + k] = values[first + i];
      });
      network.run(images);
      const { features } = network;
      units.forEach(({ center, scale }, j) => {
        for (let i = 0; i < images; i++) {
          const value = (features[i * units.length + j] - center) / scale;
          target[j][first + i] = cutOff(value);
        }
      });
    }
  };
}

/** Within ±16; NaN, which weights of another file could give, is −16. */
function cutOff(value: number): number {
  if (Number.isNaN(value)) return -LARGEST_FEATURE;
  return Math.max(-LARGEST_FEATURE, Math.min(value, LARGEST_FEATURE));
}

/** The public units of a layer's channels. */
export function layerUnits(layer: BackboneLayer): PublicUnit[] {
  const pairs = Int8Array.from(atob(backboneScales[layer]), (byte) => byte.charCodeAt(0));
  return Array.from({ length: pairs.length / 2 }, (_, k) => {
    const scale = 2 ** pairs[2 * k];
    return { center: pairs[2 * k + 1] * scale, scale };
  });
}
