import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import { BACKBONE_BYTES, type BackboneLayer, backboneLayers } from './backbone-blocks.ts';
import { backboneMapper, LARGEST_FEATURE } from './backbone-mapper.ts';
import { writeBackbone } from './backbone-write.ts';
import type { FeatureMap } from './feature-map.ts';
import { neededImage, refusePartOfImage } from './image-design.ts';
import { mapDesign } from './map-design.ts';
import { type PinnedFile, pinnedBytes } from './pinned-file.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly backbone: BackboneFeature;
  }
}

/** Channel means of layers of a trained network, the MobileNetV3 part of `models/centernet.bin` in @vladmandic/human. */
export interface BackboneFeature {
  readonly kind: 'backbone';
  readonly package: '@vladmandic/human';
  /** SHA-256 of the file with the weights, 64 hex digits. */
  readonly sha256: string;
  /** In the order of the columns. */
  readonly layers: readonly BackboneLayer[];
  /** Side that images are resized to. */
  readonly pixels: number;
}

const BACKBONE = 'backbone';
const PACKAGE = '@vladmandic/human';
/** models/centernet.bin of version 3.3.6. */
export const WEIGHTS_SHA256 = '1b635a15009071f506f9f2b3519b31c072c534888989f30d269ffd44734ef7ef';
/** Sides of a resized image: smaller ones leave nothing to the last layers, larger ones take seconds an image. */
const PIXELS = { least: 32, most: 256 };
const names = Object.keys(backboneLayers) as [BackboneLayer, ...BackboneLayer[]];

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal('backbone'),
    package: z.literal(PACKAGE),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hex digits'),
    layers: z
      .array(z.enum(names))
      .min(1)
      .refine((list) => new Set(list).size === list.length, 'layers must differ'),
    pixels: z.int().min(PIXELS.least).max(PIXELS.most),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, BackboneFeature>('same');

/**
 * Columns `backbone1` …: the channel means of the layers, each minus a public centre and over a public scale, cut off at
 * ±16 (`backbone-scales.ts`). Grey images become coloured by repeating the channel.
 */
export const backboneMap: FeatureMap<BackboneFeature> = {
  kind: 'backbone',
  opaque: true,
  noun: 'backbone',
  verb: 'run through the backbone',
  made: { one: 'backbone feature', many: 'backbone features' },
  width: widthOf,
  text: (terms) => `${widthOf(terms)} backbone features`,
  choices: ({ layers, pixels, sha256 }) =>
    `${layers.join(' + ')}, ${pixels} × ${pixels} pixels, file ${sha256.slice(0, 8)}`,
  loss: () => 'what the layers do not see is lost',
  bound: (terms) => LARGEST_FEATURE * Math.sqrt(widthOf(terms)),
  pinned: fileOf,
  files: [fileOf({ package: PACKAGE, sha256: WEIGHTS_SHA256 })],
  apply(design, terms) {
    const image = neededImage(design, 'backbone');
    return mapDesign(design, backboneMap, terms, (columns) => {
      refusePartOfImage(image, columns.length, 'backbone');
      const interval = { low: -LARGEST_FEATURE, high: LARGEST_FEATURE };
      return {
        term: BACKBONE,
        columns: Array.from({ length: widthOf(terms) }, (_, j) => ({
          name: `${BACKBONE}${j + 1}`,
          reference: { center: 0, scale: LARGEST_FEATURE },
          publicUnit: { center: 0, scale: 1 },
          interval,
        })),
        mapper: () => backboneMapper(weightsOf(terms), terms.layers, terms.pixels, image),
        write(writer) {
          const [{ publicUnit: unit }] = columns;
          return writeBackbone(writer, { ...terms, image, unit, weights: () => weightsOf(terms) });
        },
      };
    });
  },
  schema,
};

function widthOf({ layers }: BackboneFeature): number {
  return layers.reduce((sum, layer) => sum + backboneLayers[layer], 0);
}

function fileOf({
  package: name,
  sha256,
}: Pick<BackboneFeature, 'package' | 'sha256'>): PinnedFile {
  const path = 'models/centernet.bin';
  return { package: name, version: '3.3.6', path, sha256, bytes: BACKBONE_BYTES };
}

function weightsOf(terms: BackboneFeature): Uint8Array {
  const bytes = pinnedBytes(fileOf(terms));
  if (bytes.length === BACKBONE_BYTES) return bytes;
  throw new DataError(
    `the file of the study's backbone has ${bytes.length} bytes, not ${BACKBONE_BYTES}`,
    {},
    'name the SHA-256 of models/centernet.bin in the study',
  );
}
