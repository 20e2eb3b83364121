import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { unpackedBytes } from '../src/rows/byte-sequence.ts';
import { sampleImages } from '../src/rows/sample-images.ts';
import { openSource } from '../src/rows/sources.ts';
import type { ImageData } from '../src/study/image-study.ts';
import { fitReport, suffice, temporaryFolder } from './cli.ts';
import {
  cifarRecord,
  type MatEntry,
  matBytes,
  matEntries,
  PPM_COLUMNS,
  ppmBytes,
  put,
  putPngs,
  putPpms,
  someImages,
  type TestImages,
} from './image-files.ts';

const folder = temporaryFolder();
const vectors = fileURLToPath(new URL('./vectors/', import.meta.url));
const digitNames = Array.from({ length: 10 }, (_, k) => String(k));

/** A study of such images whose sites need their classes. */
const dataOf = (
  { height, width, channels }: Pick<TestImages, 'height' | 'width' | 'channels'>,
  classes: readonly string[] = digitNames,
  resize?: 'bilinear',
): ImageData => ({ kind: 'images', height, width, channels, classes, ...(resize && { resize }) });

/** All images at a path, in order, and their classes. */
async function imagesAt(path: string, data: ImageData, wanted: readonly string[] = ['class']) {
  const source = await openSource(nodeHost, { path }, wanted, undefined, undefined, data);
  const found = await sampleImages(nodeHost, source, data, 1000);
  return {
    values: found.map(({ values }) => [...values]),
    classes: found.map(({ className }) => className),
  };
}

const small = { height: 3, width: 2, channels: 3 } as const;
const few = someImages(6, small, 3);
const [X, y] = matEntries(few);
const mat = (name: string, entries: readonly MatEntry[], pack?: typeof deflateSync) =>
  put(folder, `${name}.mat`, matBytes(entries, pack));

describe('SVHN: a MAT-file', () => {
  const { shape, labels, images } = JSON.parse(readFileSync(`${vectors}svhn.json`, 'utf8'));
  const [height, width, channels] = shape;
  it.each(['svhn.mat', 'svhn-plain.mat'])('%s of scipy is read as scipy reads it', async (file) => {
    const { values, classes } = await imagesAt(vectors + file, dataOf({ height, width, channels }));
    expect(values).toEqual(images);
    expect(classes).toEqual(labels.map(String)); // 10 stands for 0
  });

  it('with high bytes first is read the same; labels are not needed to predict', async () => {
    const high = put(folder, 'high.mat', bytesSwapped(matBytes([X, y])));
    const low = await imagesAt(mat('low', [X, y]), dataOf(small));
    expect(await imagesAt(high, dataOf(small))).toEqual(low);
    const { values, classes } = await imagesAt(mat('bare', [X]), dataOf(small), []);
    expect([values, classes]).toEqual([low.values, few.labels.map(() => undefined)]);
  });

  it('that is cut or changed anywhere is refused by its name, or has the same images', async () => {
    const bytes = matBytes([X, y], deflateSync);
    const good = await imagesAt(put(folder, 'whole.mat', bytes), dataOf(small));
    const other = async (changed: Uint8Array) => {
      const path = put(folder, 'changed.mat', changed);
      const found = await imagesAt(path, dataOf(small)).catch((failure) => failure);
      if (!(found instanceof Error)) return expect(found).toEqual(good);
      expect(found).toBeInstanceOf(DataError);
      expect(found.message).toContain('changed.mat');
    };
    for (let k = 0; k < bytes.length; k++) {
      if (k >= 124) await other(bytes.map((byte, at) => (at === k ? byte ^ 0x41 : byte)));
      if (k % 3 === 0) await other(bytes.subarray(0, k));
    }
  });
});

it('a changed value is found by the checksum, also where that comes in a chunk of its own', async () => {
  const text = Buffer.alloc(1000, 7);
  const read = async (packed: Uint8Array) => {
    const chunkAt = async (at: number) =>
      at < packed.length - 4 ? packed.subarray(at, -4) : packed.subarray(at);
    const bytes = unpackedBytes(chunkAt, 'deflate');
    const found = Buffer.from(await bytes.next(1000));
    return [found.length, await bytes.ended()];
  };
  const packed = deflateSync(text, { level: 0 });
  expect(await read(packed)).toEqual([1000, true]);
  expect(await read(packed.map((byte, k) => (k === 500 ? byte ^ 1 : byte)))).toEqual([1000, false]);
  expect((await read(packed.subarray(0, -1)))[1]).toBe(false);
});

/** A MAT-file with the other order of bytes: its numbers have four bytes each, its values and names one. */
function bytesSwapped(bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  out.set([1, 0, 0x4d, 0x49], 124);
  const words = (from: number, to: number) => out.subarray(from, to).swap32();
  for (let at = 128; at < bytes.length; at += 8 + bytes.readUInt32LE(at + 4)) {
    const sides = bytes.readUInt32LE(at + 28);
    words(at, at + 32 + sides);
    words(at + 32 + sides, at + 40 + sides);
    words(at + 48 + sides, at + 56 + sides);
  }
  return out;
}

const cifarShape = { height: 32, width: 32, channels: 3 } as const;
const large = someImages(4, cifarShape, 4);
const cifar = (name: string, labels: (k: number) => readonly number[], count = 4) =>
  put(
    folder,
    name,
    Buffer.concat(
      large.values.slice(0, count).map((image, k) => cifarRecord(image, large, labels(k))),
    ),
  );
const names = (count: number, name: string) =>
  Buffer.from(`${Array.from({ length: count }, (_, k) => `${name}${k}`).join('\n')}\n\n`);

describe('CIFAR: the binary version', () => {
  const tiny = (classes?: readonly string[]) => dataOf(small, classes, 'bilinear');
  it('of CIFAR-10: numbers, the study’s classes, or the names beside it', async () => {
    const alone = cifar('ten/data_batch_1.bin', (k) => [k]);
    expect((await imagesAt(alone, tiny())).classes).toEqual(['0', '1', '2', '3']);
    const own = ['plane', 'car', 'bird', 'cat'];
    expect((await imagesAt(alone, tiny(own))).classes).toEqual(own);
    put(folder, 'ten/batches.meta.txt', names(10, 'kind'));
    const kinds = tiny(['kind3', 'kind0', 'kind1', 'kind2']);
    const expected = ['kind0', 'kind1', 'kind2', 'kind3'];
    expect((await imagesAt(alone, kinds)).classes).toEqual(expected);
    expect((await imagesAt(join(folder, 'ten'), kinds)).classes).toEqual(expected);
  });

  it('of CIFAR-100: the fine classes, or the coarse ones where the study has them', async () => {
    const path = cifar('hundred/train.bin', (k) => [k + 16, 99 - k]);
    put(folder, 'hundred/fine_label_names.txt', names(100, 'fine'));
    put(folder, 'hundred/coarse_label_names.txt', names(20, 'coarse'));
    const fine = tiny(Array.from({ length: 100 }, (_, k) => `fine${k}`));
    expect((await imagesAt(path, fine)).classes).toEqual(['fine99', 'fine98', 'fine97', 'fine96']);
    const coarse = tiny(['coarse16', 'coarse17', 'coarse18', 'coarse19']);
    expect((await imagesAt(path, coarse)).classes).toEqual(coarse.classes);
  });

  it('whose length fits both forms is told apart by its labels', async () => {
    const size = 3073 * 3074;
    const ten = Buffer.alloc(size, 200);
    for (let at = 0; at < size; at += 3073) ten[at] = 9;
    const hundred = Buffer.alloc(size, 200);
    for (let at = 0; at < size; at += 3074) hundred.set([19, 7], at);
    const countOf = async (name: string, bytes: Buffer) => {
      const path = put(folder, name, bytes);
      return (await openSource(nodeHost, { path }, [])) as unknown as { count: number };
    };
    ten[5] = 1;
    hundred[5] = 1;
    expect((await countOf('both-ten.bin', ten)).count).toBe(3074);
    expect((await countOf('both-hundred.bin', hundred)).count).toBe(3073);
  });

  it('leaves a table that is named .bin alone', async () => {
    const path = put(folder, 'table.bin', Buffer.from('x,y\n1,2\n'));
    expect((await openSource(nodeHost, { path }, ['x', 'y'])).kind).toBe('csv');
  });
});

describe('GTSRB: a folder of PPM files', () => {
  const unequal = (name: string) => {
    const own = putPpms(folder, name, few);
    const bytes = ppmBytes({ height: 7, width: 5 }, new Uint8Array(105).fill(77));
    const list = readFileSync(join(own, '00002/GT-00002.csv'), 'utf8');
    put(own, '00002/wide.ppm', bytes);
    put(own, '00002/GT-00002.csv', Buffer.from(`${list}wide.ppm;5;7;0;0;4;6;2\r\n`));
    return own;
  };

  it('of unequal sizes needs a study that resizes; the classes are its numbers or names', async () => {
    const own = unequal('unequal');
    await expect(imagesAt(own, dataOf(small))).rejects.toThrow('wide.ppm: an image has 7 × 5');
    const resizing = dataOf(small, ['stop', 'yield', 'bend'], 'bilinear');
    const { values, classes } = await imagesAt(own, resizing);
    expect(values.at(-1)).toEqual(Array(18).fill(77));
    expect(new Set(classes)).toEqual(new Set(resizing.classes));
    expect(classes.at(-1)).toBe('bend');
  });

  it('without sub-folders has its classes in a list beside the images', async () => {
    const lines = few.values.map((image, k) => {
      put(folder, `test/0000${k}.ppm`, ppmBytes(few, image));
      return `0000${k}.ppm;2;3;0;0;1;2;${few.labels[k]}\n`;
    });
    const [bare, withClasses] = ['GT-final_test.test.csv', 'GT-final_test.csv'];
    const short = [PPM_COLUMNS, ...lines].map((line) => `${line.replace(/;\w+\s*$/, '')}\n`);
    put(folder, `test/${bare}`, Buffer.from(short.join('')));
    const own = join(folder, 'test');
    await expect(imagesAt(own, dataOf(small))).rejects.toThrow('the images have no classes');
    expect((await imagesAt(own, dataOf(small), [])).values).toHaveLength(6);
    put(folder, `test/${withClasses}`, Buffer.from(PPM_COLUMNS + lines.join('')));
    const { values, classes } = await imagesAt(own, dataOf(small));
    expect(values).toEqual(few.values.map((image) => [...image]));
    expect(classes).toEqual(few.labels.map(String));
  });
});

describe('files that are damaged, vast or of another kind are refused by name, and nothing is written', () => {
  const out = join(folder, 'refused.json');
  const vast: MatEntry = { ...X, sides: [2 ** 31, 2 ** 31, 3, 1] };
  const many: MatEntry = { ...X, sides: [3, 2, 3, 2 ** 31] };
  const claims = (bytes: Uint8Array, at: number) => {
    const claimed = Buffer.from(bytes);
    claimed.writeUInt32LE(0xffff_ffff, at);
    return deflateSync(claimed);
  };
  const gtsrb = (name: string, file: string, bytes: string | Uint8Array) => {
    const own = putPpms(folder, name, few);
    put(own, file, Buffer.from(bytes as string));
    return own;
  };
  const line = (name: string, label: string) => `${PPM_COLUMNS}${name};2;3;0;0;1;2;${label}\n`;
  const [first] = few.labels.flatMap((label, k) => (label === 0 ? [`00000_0000${k}.ppm`] : []));
  const python = (name: string, files: readonly string[]) => {
    for (const file of files) put(folder, `${name}/${file}`, Uint8Array.of(0x80, 2, 0x7d));
    return join(folder, name);
  };
  const version73 = matBytes([]);
  version73.write('MATLAB 7.3 MAT-file');
  version73.set([0, 2], 124);
  const both = join(folder, 'both');
  put(both, 'train.mat', matBytes([X]));
  put(both, 'test.mat', matBytes([X]));
  const trained = cifar('mixed/data_batch_1.bin', (k) => [k]);
  cifar('mixed/test_batch.bin', (k) => [k]);
  cifar('hybrid/a.bin', (k) => [k]);
  cifar('hybrid/b.bin', (k) => [k, k]);
  put(folder, 'unnamed/batches.meta.txt', names(9, 'kind'));

  const refused: readonly (readonly [string, string, string])[] = [
    ['MATLAB 7.3', put(folder, 'v73.mat', version73), 'v73.mat: the MAT-file is not of level 5'],
    ['no X', mat('no-x', [{ ...X, name: 'data' }, y]), 'no-x.mat: no array X'],
    ['no y', mat('no-y', [X]), 'no-y.mat: the images have no classes'],
    ['floats', mat('floats', [{ ...X, kind: 9 }, y]), 'X is not of whole bytes'],
    ['three sides', mat('sides', [{ ...X, sides: [3, 2, 18] }]), 'X is 3 × 2 × 18'],
    ['fewer labels', mat('labels', [X, { ...y, values: y.values.slice(1) }]), 'there are 6 images'],
    ['vast images', mat('vast', [vast, y], deflateSync), 'pixels'],
    ['many images', mat('many', [many, y], deflateSync), 'an element ends early'],
    [
      'a claim of 4 GB in 200 bytes',
      mat('bomb', [X, y], ((bytes: Buffer) => claims(bytes, 4)) as typeof deflateSync),
      'bomb.mat: the MAT-file is damaged',
    ],
    ['two MAT-files', both, 'the folder holds 2 files of images'],
    ['a cut CIFAR file', cifar('cut.bin', () => [1, 2, 3]), 'no whole number of records'],
    ['training and test', join(trained, '..'), 'images for training and for testing'],
    ['CIFAR-10 and CIFAR-100', join(folder, 'hybrid'), 'some files are of CIFAR-10'],
    ['nine names', cifar('unnamed/a.bin', (k) => [k]), 'does not have 10 names'],
    ['a label of 10', cifar('odd.bin', (k) => [k + 7]), 'odd.bin, row 4: a label is no class'],
    ['CIFAR-10 for Python', python('py10', ['data_batch_1', 'batches.meta']), 'Python version'],
    ['CIFAR-100 for Python', python('py100', ['train', 'test', 'meta']), 'Python version'],
    ['a pickled file', join(python('py', ['data_batch_1']), 'data_batch_1'), 'pickled by Python'],
    [
      'a text among PPM files',
      gtsrb('ppm-text', '00000/readme.txt', 'x'),
      'neither a PPM file nor',
    ],
    ['another PPM', gtsrb('ppm-5', `00000/${first}`, 'P5\n2 3\n255\n123456'), 'not a PPM file'],
    ['a cut PPM', gtsrb('ppm-cut', `00000/${first}`, 'P6\n2 3\n255\n12'), 'what its header says'],
    ['a PPM of 16 bits', gtsrb('ppm-16', `00000/${first}`, 'P6 2 3 65535 '), 'from 0 to 255'],
    ['a vast PPM', gtsrb('ppm-vast', `00000/${first}`, 'P6 999999999 999999999 255 '), 'pixels'],
    [
      'no Filename',
      gtsrb('gt-a', '00000/GT-00000.csv', 'a;b\n'),
      'column "Filename": no such column',
    ],
    [
      'a lost image',
      gtsrb('gt-b', '00000/GT-00000.csv', line('x.ppm', '0')),
      'row 1: the list names',
    ],
    ['a short list', gtsrb('gt-c', '00000/GT-00000.csv', line(first, '0')), 'leaves out an image'],
    [
      'a class of words',
      gtsrb('gt-d', '00000/GT-00000.csv', line(first, 'stop')),
      '"ClassId": not',
    ],
    ['parts as classes', cinic('all'), 'are parts of a data set, not classes'],
  ];
  it.each(refused)('%s', async (_, path, words) => {
    const { code, stderr } = await suffice('study', 'init', '--images', path, '--out', out);
    expect([code, stderr]).toEqual([3, expect.stringContaining(words)]);
    expect(existsSync(out)).toBe(false);
  });

  it('a list that has another class than the folder', async () => {
    const own = putPpms(folder, 'gt-other', few);
    const list = readFileSync(join(own, '00001/GT-00001.csv'), 'utf8');
    put(own, '00001/GT-00001.csv', Buffer.from(list.replaceAll(';1\r', ';2\r')));
    await expect(imagesAt(own, dataOf(small))).rejects.toThrow('another class for an image');
  });
});

/** The layout of CINIC-10: parts, and in each a folder of PNG files for each class. */
function cinic(name: string): string {
  for (const part of ['test', 'train', 'valid']) {
    putPngs(folder, `${name}/${part}`, few, ['airplane', 'bird', 'cat']);
  }
  return join(folder, name);
}

describe('the commands take these files', () => {
  const drafts: readonly (readonly [string, string, readonly string[], object])[] = [
    ['SVHN', mat('svhn', [X, y], deflateSync), [], { ...small, classes: ['0', '1', '2'] }],
    ['CINIC-10', join(cinic('cinic'), 'train'), [], { classes: ['airplane', 'bird', 'cat'] }],
    [
      'CIFAR-10',
      cifar('draft.bin', (k) => [k]),
      [],
      { ...cifarShape, classes: ['0', '1', '2', '3'] },
    ],
    [
      'GTSRB',
      putPpms(folder, 'gtsrb', few),
      ['--resize', '8x6'],
      { height: 8, width: 6, channels: 3, resize: 'bilinear', classes: ['0', '1', '2'] },
    ],
  ];
  it.each(drafts)('study init drafts a study from %s', async (name, path, flags, data) => {
    const out = join(folder, `draft-${name}.json`);
    const { code, stderr } = await suffice(
      ...['study', 'init', '--images', path, '--out', out, ...flags],
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(out, 'utf8')).data).toMatchObject(data);
  });

  it.each([
    ['a word', ['--images', 'x', '--resize', 'big'], '--resize needs a height and a width'],
    ['no images', ['y ~ x', 'x.csv', '--resize', '8x8'], '--resize belongs to --images'],
    [
      'a table',
      [
        '--images',
        put(folder, 'pixels.csv', Buffer.from('label,pixel0\n1,2\n')),
        '--resize',
        '8x8',
      ],
      'a table of pixels is not resized',
    ],
  ])('study init refuses --resize with %s', async (_, args, words) => {
    const out = join(folder, 'never.json');
    const { code, stderr } = await suffice('study', 'init', ...args, '--out', out);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
    expect(existsSync(out)).toBe(false);
  });

  it('a folder of 300 classes drafts 300 classes', async () => {
    const many = someImages(300, { height: 1, width: 1, channels: 1 }, 300);
    const classes = Array.from({ length: 300 }, (_, k) => `c${k}`);
    const labels = classes.map((_, k) => k);
    const path = putPngs(folder, 'many', { ...many, labels }, classes);
    const out = join(folder, 'many.json');
    const { code } = await suffice('study', 'init', '--images', path, '--out', out);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8')).data.classes).toHaveLength(300);
  });

  it('fit and predict give with a MAT-file what they give with IDX files', async () => {
    const example = (name: string) =>
      fileURLToPath(new URL(`../examples/digits/${name}`, import.meta.url));
    const { features: _, ...terms } = JSON.parse(readFileSync(example('study.json'), 'utf8'));
    const features = [{ kind: 'projection', dimension: 8, seed: 5 }];
    const study = put(folder, 'digits.json', Buffer.from(JSON.stringify({ ...terms, features })));
    const idx = example('north-images.idx3-ubyte');
    const labels = [...readFileSync(example('north-labels.idx1-ubyte')).subarray(8)];
    const bytes = readFileSync(idx).subarray(16);
    const values = labels.map((__, k) => bytes.subarray(64 * k, 64 * k + 64));
    const digits = { height: 8, width: 8, channels: 1, values, labels } as const;
    const own = put(folder, 'north.mat', matBytes(matEntries(digits), deflateSync));
    const model = join(folder, 'model.json');
    const whole = await fitReport(study, [idx], '--save-model', model);
    expect((await fitReport(study, [own])).digest).toBe(whole.digest);
    const predicted = async (path: string) => (await suffice('predict', model, path)).stdout;
    expect(await predicted(own)).toBe(await predicted(idx));
  });
});
