import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { crc32 } from '../src/images/crc32.ts';

/** Images for tests, and the numbers of their classes. */
export interface TestImages {
  readonly height: number;
  readonly width: number;
  readonly channels: 1 | 3;
  readonly values: readonly Uint8Array[];
  readonly labels: readonly number[];
}

/** Images that differ, in classes that differ: class c is brighter at its own places. */
export function someImages(
  count: number,
  { height, width, channels }: Pick<TestImages, 'height' | 'width' | 'channels'>,
  classes: number,
  seed = 1,
): TestImages {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const labels = Array.from({ length: count }, (_, k) => (k * 7 + (k >> 3)) % classes);
  const values = labels.map((label) =>
    Uint8Array.from({ length: height * width * channels }, (_, k) =>
      Math.floor(random() * 128 + (k % classes === label ? 120 : 0)),
    ),
  );
  return { height, width, channels, values, labels };
}

/** The bytes of an IDX file. */
export function idxBytes(sides: readonly number[], values: Uint8Array, kind = 8): Buffer {
  const head = Buffer.alloc(4 + 4 * sides.length);
  head.writeUInt8(kind, 2);
  head.writeUInt8(sides.length, 3);
  sides.forEach((side, k) => {
    head.writeUInt32BE(side, 4 + 4 * k);
  });
  return Buffer.concat([head, values]);
}

/** The form of a PNG file. */
export interface PngForm {
  readonly height: number;
  readonly width: number;
  readonly colour: 0 | 2 | 3 | 4 | 6;
  readonly depth: 1 | 2 | 4 | 8 | 16;
  readonly interlace?: number;
  /** The filter of line y; none unless given. */
  filter?(y: number): number;
  readonly chunks?: readonly (readonly [string, Uint8Array])[];
}

const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** The bytes of a PNG file with these samples, each of `depth` bits. */
export function pngBytes(form: PngForm, samples: ArrayLike<number>): Buffer {
  const { height, width, colour, depth, interlace = 0, chunks = [] } = form;
  const each = width * samplesOf[colour];
  const line = Math.ceil((each * depth) / 8);
  const step = Math.max(1, (samplesOf[colour] * depth) / 8);
  const lines = Buffer.alloc(height * line);
  for (let y = 0; y < height; y++) {
    for (let k = 0; k < each; k++) {
      const value = samples[y * each + k];
      if (depth === 16) lines.writeUInt16BE(value, y * line + 2 * k);
      else lines[y * line + ((k * depth) >> 3)] |= value << (8 - depth - ((k * depth) & 7));
    }
  }
  const filtered = Buffer.alloc(height * (line + 1));
  for (let y = 0; y < height; y++) {
    const filter = form.filter?.(y) ?? 0;
    filtered[y * (line + 1)] = filter;
    for (let k = 0; k < line; k++) {
      const left = k < step ? 0 : lines[y * line + k - step];
      const up = y === 0 ? 0 : lines[(y - 1) * line + k];
      const corner = k < step || y === 0 ? 0 : lines[(y - 1) * line + k - step];
      const guesses = [0, left, up, (left + up) >> 1, nearest(left, up, corner)];
      filtered[y * (line + 1) + 1 + k] = lines[y * line + k] - (guesses[filter] ?? 0);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...chunks.map(([name, body]) => chunk(name, body)),
    chunk('IDAT', deflateSync(filtered)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  return [left, up, corner].reduce((best, one) =>
    Math.abs(guess - one) < Math.abs(guess - best) ? one : best,
  );
}

/** A chunk of a PNG file. */
export function chunk(name: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

let clock = 1e6;

/** Writes a file below a folder, at a time of its own; returns its path. */
export function put(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  utimesSync(path, ++clock, clock);
  return path;
}

/** Writes IDX files of images and labels; returns the path of the images. */
export function putIdx(
  folder: string,
  name: string,
  { height, width, channels, values, labels }: TestImages,
  pack: (bytes: Buffer) => Uint8Array = (bytes) => bytes,
): string {
  const count = values.length;
  const colours = channels === 1 ? [] : [channels];
  const kind = channels === 1 ? 'idx3' : 'idx4';
  const ending = pack(Buffer.alloc(1)).length === 1 ? '' : '.gz';
  const images = idxBytes([count, height, width, ...colours], Buffer.concat(values));
  put(folder, `${name}-labels-idx1-ubyte${ending}`, pack(idxBytes([count], Buffer.from(labels))));
  return put(folder, `${name}-images-${kind}-ubyte${ending}`, pack(images));
}

/** An array of a MAT-file: its name, sides, the kind of its values (2: bytes) and the values. */
export interface MatEntry {
  readonly name: string;
  readonly sides: readonly number[];
  readonly values: Uint8Array;
  readonly kind?: number;
}

/** The bytes of a MAT-file of level 5 with these arrays; each is packed by `pack`, if given. */
export function matBytes(
  entries: readonly MatEntry[],
  pack?: (bytes: Uint8Array) => Uint8Array,
): Buffer {
  const head = Buffer.alloc(128, ' ');
  head.write('MATLAB 5.0 MAT-file, written by a test');
  head.set([0, 1, 0x49, 0x4d], 124);
  const elements = entries.map(({ name, sides, values, kind = 2 }) => {
    const sideBytes = Buffer.alloc(4 * sides.length);
    sides.forEach((side, k) => {
      sideBytes.writeUInt32LE(side, 4 * k);
    });
    const array = matElement(
      14,
      Buffer.concat([
        matElement(6, Buffer.from([9, 0, 0, 0, 0, 0, 0, 0])),
        matElement(5, sideBytes),
        matElement(1, Buffer.from(name)),
        matElement(kind, values),
      ]),
    );
    if (pack === undefined) return array;
    const packed = pack(array);
    return Buffer.concat([matTagBytes(15, packed.length), packed]);
  });
  return Buffer.concat([head, ...elements]);
}

function matTagBytes(kind: number, bytes: number): Buffer {
  const tag = Buffer.alloc(8);
  tag.writeUInt32LE(kind, 0);
  tag.writeUInt32LE(bytes, 4);
  return tag;
}

function matElement(kind: number, body: Uint8Array): Buffer {
  const rest = Buffer.alloc((8 - (body.length % 8)) % 8);
  return Buffer.concat([matTagBytes(kind, body.length), body, rest]);
}

/** The arrays of images as SVHN has them: X column by column, and y, in which 10 stands for 0. */
export function matEntries({
  height,
  width,
  channels,
  values,
  labels,
}: TestImages): [MatEntry, MatEntry] {
  const pixels = height * width;
  const columns = values.map((image) =>
    Uint8Array.from({ length: image.length }, (_, k) => {
      const [c, within] = [Math.floor(k / pixels), k % pixels];
      const [x, y] = [Math.floor(within / height), within % height];
      return image[(y * width + x) * channels + c];
    }),
  );
  return [
    { name: 'X', sides: [height, width, channels, values.length], values: Buffer.concat(columns) },
    {
      ...{ name: 'y', sides: [values.length, 1] },
      values: Uint8Array.from(labels, (label) => (label === 0 ? 10 : label)),
    },
  ];
}

/** A record of CIFAR's binary version: labels, and an image of 32 × 32 pixels, here enlarged, in three planes. */
export function cifarRecord(
  image: Uint8Array,
  { height, width }: Pick<TestImages, 'height' | 'width'>,
  labels: readonly number[],
): Uint8Array {
  const record = new Uint8Array(labels.length + 3072);
  record.set(labels);
  for (let k = 0; k < 3072; k++) {
    const [c, y, x] = [k >> 10, (k >> 5) & 31, k & 31];
    const pixel = Math.floor((y * height) / 32) * width + Math.floor((x * width) / 32);
    record[labels.length + k] = image[3 * pixel + c];
  }
  return record;
}

/** The bytes of a PPM file. */
export function ppmBytes(
  { height, width }: Pick<TestImages, 'height' | 'width'>,
  image: Uint8Array,
): Buffer {
  return Buffer.concat([Buffer.from(`P6\n# a comment\n${width} ${height}\n255\n`), image]);
}

/** Writes images as GTSRB has them: sub-folders 00000, 00001, …, each with PPM files and their list. Returns the path. */
export function putPpms(folder: string, name: string, images: TestImages): string {
  const { height, width, values, labels } = images;
  for (const label of new Set(labels)) {
    const own = String(label).padStart(5, '0');
    const files = labels.flatMap((one, k) => (one === label ? [k] : []));
    const lines = files.map((k) => {
      put(folder, `${name}/${own}/${ppmName(k)}`, ppmBytes(images, values[k]));
      return `${ppmName(k)};${width};${height};0;0;${width - 1};${height - 1};${label}\r\n`;
    });
    put(folder, `${name}/${own}/GT-${own}.csv`, Buffer.from(PPM_COLUMNS + lines.join('')));
  }
  return join(folder, name);
}

export const PPM_COLUMNS = 'Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\r\n';

function ppmName(k: number): string {
  return `00000_${String(k).padStart(5, '0')}.ppm`;
}

/** Writes a folder of PNG files, one sub-folder a class; returns its path. */
export function putPngs(
  folder: string,
  name: string,
  { height, width, channels, values, labels }: TestImages,
  classes: readonly string[],
): string {
  const form = { height, width, colour: channels === 1 ? 0 : 2, depth: 8 } as const;
  const filter = (y: number) => y % 5;
  values.forEach((image, k) => {
    const file = `${classes[labels[k]]}/${String(k).padStart(5, '0')}.png`;
    put(folder, `${name}/${file}`, pngBytes({ ...form, filter }, image));
  });
  return join(folder, name);
}
