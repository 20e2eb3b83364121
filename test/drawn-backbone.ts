import { BACKBONE_BYTES, type BackboneLayer } from '../src/features/backbone-blocks.ts';
import { type BackboneFeature, backboneMap } from '../src/features/backbone-map.ts';
import { keepPinned } from '../src/features/pinned-file.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { digestBytes } from '../src/study/digest.ts';

let drawn: { readonly bytes: Uint8Array; readonly sha256: string } | undefined;

/** A file of the model's size with random weights, ±2⁻⁵ to ±2⁻² in float16: laws hold for any weights, and need no package. */
export function drawnWeights(): { readonly bytes: Uint8Array; readonly sha256: string } {
  if (drawn !== undefined) return drawn;
  const words = seededWords(20);
  const halves = Uint16Array.from({ length: BACKBONE_BYTES / 2 }, () => {
    const word = words();
    return (word & 0x83ff) | ((10 + ((word >>> 16) % 3)) << 10);
  });
  const bytes = new Uint8Array(halves.buffer);
  drawn = { bytes, sha256: digestBytes(bytes).slice('sha256:'.length) };
  return drawn;
}

/** Terms of a backbone with random weights, which are loaded. */
export function drawnBackbone(layers: readonly BackboneLayer[], pixels: number): BackboneFeature {
  const { bytes, sha256 } = drawnWeights();
  const terms = { kind: 'backbone', package: '@vladmandic/human', sha256, layers, pixels } as const;
  keepPinned(backboneMap.pinned!(terms)!, bytes);
  return terms;
}
