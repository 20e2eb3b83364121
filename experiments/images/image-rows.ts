import type { BackboneLayer } from '../../src/features/backbone-blocks.ts';
import { WEIGHTS_SHA256 } from '../../src/features/backbone-map.ts';
import type { Feature, Study } from '../../src/study/study.ts';

/** Another model of the same sums. */
export interface Head {
  readonly label: string;
  readonly fusion: Study['fusion'];
}

const heads: readonly Head[] = [
  { label: 'linear discriminant', fusion: { kind: 'discriminant', shrinkage: 'gcv' } },
  { label: 'naive Bayes', fusion: { kind: 'naive-bayes' } },
];

/** A row of a table: a feature map, and the accuracy that is claimed for it. */
export interface ImageRow {
  readonly label: string;
  readonly features: readonly Feature[];
  /** In %, with all images. */
  readonly claimed?: number;
  /** Further models that are solved from the same sums. */
  readonly heads?: readonly Head[];
}

const SEED = 1;

/** Random filters and 3 × 3 windows: 18 features a filter, and the constant. */
export function convolution(dimension: number, size: number, claimed?: number): ImageRow {
  return row('random convolution', [{ kind: 'convolution', dimension, size, seed: SEED }], claimed);
}

/** The layer sets that `research/anchors.md` B.3 names; they were fixed before anything here was measured. */
export const layerSets: Readonly<Record<'one' | 'five', readonly BackboneLayer[]>> = {
  one: ['conv_11'],
  five: ['conv_8', 'conv_11', 'conv_13', 'conv_14', 'extern1'],
};

export function backbone(
  layers: keyof typeof layerSets,
  pixels: number,
  claimed?: number,
): ImageRow {
  const terms: Feature = {
    kind: 'backbone',
    package: '@vladmandic/human',
    sha256: WEIGHTS_SHA256,
    layers: layerSets[layers],
    pixels,
  };
  const count = layers === 'one' ? '1 layer' : '5 layers';
  return row(`backbone, ${count}, ${pixels} px`, [terms], claimed);
}

export const pixels: ImageRow = { label: 'raw pixels', features: [] };

export function fourier(dimension: number): ImageRow {
  return row('random Fourier, RBF', [{ kind: 'fourier', dimension, kernel: 'rbf', seed: SEED }]);
}

export function tangent(dimension: number): ImageRow {
  return row('tangent', [{ kind: 'tangent', dimension, seed: SEED }]);
}

function row(label: string, features: readonly Feature[], claimed?: number): ImageRow {
  return { label, features, ...(claimed !== undefined && { claimed }) };
}

/** A row whose sums are also solved as a discriminant analysis and as naive Bayes. */
export function withHeads(row: ImageRow): ImageRow {
  return { ...row, heads };
}
