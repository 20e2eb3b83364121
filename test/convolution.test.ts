import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { randomConvolution } from '../src/features/convolution.ts';
import { studyDesign } from '../src/features/study-design.ts';
import { agreement } from '../src/federate.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import {
  type Convolution,
  convolvedWidth,
  type ImageConvolver,
  imageConvolver,
  imageConvolverTwin,
} from '../src/numeric/convolve-images.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { releasedLabels } from '../src/rows/inspection.ts';
import { type ImageStudy, imageTable, usualFeatures, valuesOf } from '../src/study/image-study.ts';
import type { ImageShape } from '../src/study/study.ts';
import { rowsPerBlock } from '../src/table/columns.ts';

interface Vector extends ImageShape {
  readonly terms: { filters: number; size: number; pooling: number; seed: number };
  readonly pixels: readonly number[];
  readonly features: readonly number[];
}
const { cases }: { readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('vectors/convolution.json', import.meta.url), 'utf8'),
);

/** Features of images, each a list of pixels, cut into blocks at these rows. */
function featuresOf(
  convolver: ImageConvolver,
  { thresholds, pooling }: Convolution,
  images: readonly ArrayLike<number>[],
  cuts: readonly number[] = [0, images.length],
): Float64Array[] {
  const width = convolvedWidth(thresholds.length, pooling);
  const target = Array.from({ length: width }, () => new Float64Array(images.length).fill(-1));
  cuts.slice(1).forEach((to, k) => {
    const part = images.slice(cuts[k], to);
    const columns = Array.from({ length: images[0].length }, (_, pixel) => ({
      values: Float64Array.from(part, (image) => image[pixel]),
      center: 0,
      scale: 255,
    }));
    convolver(
      columns,
      part.length,
      target.map((values) => values.subarray(cuts[k], to)),
    );
  });
  return target;
}

const noise = (image: ImageShape, count: number) => {
  const words = seededWords(9);
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length: valuesOf(image) }, () => words() % 256),
  );
};

describe('random convolution features', () => {
  it.each(cases)(
    'are what numpy makes of their description: $height × $width × $channels',
    (vector) => {
      const convolution = randomConvolution(vector, vector.terms);
      const found = featuresOf(imageConvolver(convolution), convolution, [vector.pixels]);
      expect(found).toHaveLength(vector.features.length);
      found.forEach(([value], j) => {
        expect(Math.abs(value - vector.features[j]), `feature ${j}`).toBeLessThan(2e-6);
      });
    },
  );

  it.each<[ImageShape, number, number, number]>([
    [{ height: 28, width: 28, channels: 1 }, 5, 7, 3],
    [{ height: 13, width: 6, channels: 3 }, 4, 3, 2],
    [{ height: 2, width: 2, channels: 1 }, 1, 2, 1],
    [{ height: 1, width: 1, channels: 3 }, 3, 1, 1],
    [{ height: 8, width: 8, channels: 1 }, 9, 2, 7],
  ])(
    'kernel = twin, bit for bit: %j, %i filters of side %i, %i windows',
    (image, filters, size, pooling) => {
      enableRelaxedSimd(); // the fused build must not be taken where the engine has it
      const convolution = randomConvolution(image, { filters, size, pooling, seed: 5 });
      const images = [...noise(image, 70), new Uint8Array(valuesOf(image)).fill(77)];
      const few = images.slice(60);
      const twin = featuresOf(imageConvolverTwin(convolution), convolution, few);
      const kernel = imageConvolver(convolution);
      const whole = featuresOf(kernel, convolution, images);
      expect(whole.map((values) => values.slice(60))).toEqual(twin);
      expect(featuresOf(kernel, convolution, images, [0, 1, 2, 40, 71])).toEqual(whole);
    },
  );

  it.each([
    ['black', 0],
    ['grey', 128],
    ['white', 255],
  ])('of a %s image are finite and next to nothing', (_, level) => {
    for (const channels of [1, 3] as const) {
      const image: ImageShape = { height: 12, width: 9, channels };
      const convolution = randomConvolution(image, { filters: 6, size: 3, pooling: 3, seed: 1 });
      const flat = new Uint8Array(valuesOf(image)).fill(level);
      const grey = channels === 1;
      for (const [value] of featuresOf(imageConvolver(convolution), convolution, [flat])) {
        // A flat colour image has the contrast between the public means of its channels.
        expect(value >= 0 && value <= (grey ? 1e-3 : 8)).toBe(true);
      }
    }
  });

  it('do not change with brightness and hardly with contrast', () => {
    const image: ImageShape = { height: 12, width: 12, channels: 1 };
    const convolution = randomConvolution(image, { filters: 4, size: 5, pooling: 2, seed: 1 });
    const [picture] = noise(image, 1).map((pixels) => Float64Array.from(pixels, (v) => v / 4));
    const images = [picture, picture.map((v) => v + 100), picture.map((v) => 2 * v)];
    for (const [plain, lighter, stronger] of featuresOf(
      imageConvolver(convolution),
      convolution,
      images,
    )) {
      expect(Math.abs(lighter - plain)).toBeLessThan(1e-5);
      expect(Math.abs(stronger - plain)).toBeLessThan(0.01 * (1 + plain));
    }
  });

  it('of fewer filters come from the first of more; other seeds give other filters', () => {
    const image: ImageShape = { height: 8, width: 8, channels: 3 };
    const draw = (filters: number, seed: number) =>
      randomConvolution(image, { filters, size: 3, pooling: 2, seed });
    const [few, many] = [draw(2, 7), draw(5, 7)];
    expect(many.weights.slice(0, few.weights.length)).toEqual(few.weights);
    expect(many.thresholds.slice(0, 2)).toEqual(few.thresholds);
    const seeds = [0, 1, 7, 2 ** 32 - 1].map((seed) => draw(2, seed).weights.join());
    expect(new Set(seeds).size).toBe(4);
    for (const weight of many.weights) expect(Number.isFinite(weight)).toBe(true);
  });
});

describe('a study of images', () => {
  const study = (height: number, width: number, channels: 1 | 3): ImageStudy => ({
    schema: 'suffice/study@1',
    data: { kind: 'images', height, width, channels, classes: ['a', 'b'] },
    fusion: { kind: 'ridge', ridge: 1 },
    arithmetic: 'exact',
  });

  it.each<[number, number, 1 | 3, number]>([
    [28, 28, 1, 252],
    [32, 32, 3, 252],
    [20, 100, 1, 252],
    [8, 8, 1, 80],
    [5, 5, 3, 80],
    [4, 4, 1, 16],
    [1, 1, 1, 1],
    [1, 1, 3, 3],
    [56, 56, 3, 252],
  ])(
    'that names no features, %i × %i × %i, has %i columns on a grid of 22 bits',
    (height, width, channels, columns) => {
      const agreed = agreement(study(height, width, channels));
      const { layout } = agreed;
      if (!('grid' in layout)) throw new Error('no regression');
      expect([layout.columns.length, layout.grid]).toEqual([1 + columns + 2, 22]);
    },
  );

  it('has the pixels themselves where its features are an empty list, and the grid it names', () => {
    const table = imageTable({ ...study(8, 8, 1), features: [], grid: 44 });
    expect([studyDesign(table, 'indicators').columns.length, table.grid]).toEqual([67, 44]);
    expect(imageTable(study(8, 8, 1)).features).toEqual(
      usualFeatures({ height: 8, width: 8, channels: 1 }),
    );
  });

  it('of the same pixels in another form has other columns in the ledger', () => {
    const labels = (height: number, width: number) =>
      releasedLabels(agreement(study(height, width, 1)).method);
    const [tall, wide] = [labels(5, 7), labels(7, 5)];
    expect(tall).toHaveLength(82);
    expect(tall.filter((label) => wide.includes(label))).toEqual(['classa', 'classb']);
  });

  it('is read in blocks of few rows where images are large', () => {
    expect([1, 512, 3073, 9409].map(rowsPerBlock)).toEqual([4096, 4096, 682, 222]);
  });
});
