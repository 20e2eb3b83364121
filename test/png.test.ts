import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { fitPicture, resized } from '../src/images/fit-picture.ts';
import { inflate } from '../src/images/inflate.ts';
import { decodePng } from '../src/images/png.ts';
import { chunk, type PngForm, pngBytes } from './image-files.ts';

const H = 7;
const W = 9;

const noise = (length: number, most: number) =>
  Array.from({ length }, (_, k) => (Math.imul(k + 3, 2_654_435_761) >>> 7) % (most + 1));

describe('inflate gives back what zlib packed', () => {
  const texts = [
    Buffer.alloc(0),
    Buffer.from('a'),
    Buffer.from('suffice '.repeat(5000)),
    Buffer.from(noise(70_000, 255)),
    Buffer.from(noise(50_000, 3)),
  ];
  it.each([0, 1, 6, 9])('at level %i', (level) => {
    for (const text of texts) {
      for (const strategy of [0, 2, 3, 4]) {
        const packed = deflateSync(text, { level, strategy });
        expect(Buffer.from(inflate(packed, text.length)!).equals(text)).toBe(true);
        expect(inflate(packed, text.length + 1)).toBeUndefined();
        if (text.length > 0) expect(inflate(packed, text.length - 1)).toBeUndefined();
      }
    }
  });

  it('and nothing from a stream with a changed or a missing byte', () => {
    const text = Buffer.from(noise(300, 40));
    const packed = deflateSync(text);
    for (let k = 2; k < packed.length; k++) {
      const changed = Buffer.from(packed);
      changed[k] ^= 0x55;
      expect(inflate(changed, text.length)).toBeUndefined();
      expect(inflate(packed.subarray(0, k), text.length)).toBeUndefined();
    }
  });
});

describe('a PNG file is decoded to the values that were written', () => {
  const greys = [1, 2, 4, 8, 16] as const;
  it.each(greys)('grey, %i bits, every filter', (depth) => {
    const most = 2 ** depth - 1;
    const samples = noise(H * W, most);
    const bytes = pngBytes(
      { height: H, width: W, colour: 0, depth, filter: (y) => y % 5 },
      samples,
    );
    const expected = samples.map((value) =>
      depth === 16 ? Math.round((value * 255) / most) : (value * 255) / most,
    );
    const { values, ...form } = decodePng(bytes, 'x.png');
    expect(form).toEqual({ height: H, width: W, channels: 1 });
    expect([...values]).toEqual(expected);
  });

  it.each([8, 16] as const)('colour, with and without an opaque alpha, %i bits', (depth) => {
    const scale = depth === 16 ? 257 : 1;
    const colours = noise(3 * H * W, 255);
    const form = { height: H, width: W, depth, filter: (y: number) => (y + 2) % 5 };
    const plain = pngBytes(
      { ...form, colour: 2 },
      colours.map((v) => v * scale),
    );
    const opaque = colours.flatMap((v, k) => (k % 3 === 2 ? [v, 255] : [v])).map((v) => v * scale);
    expect([...decodePng(plain, 'x.png').values]).toEqual(colours);
    expect([...decodePng(pngBytes({ ...form, colour: 6 }, opaque), 'x').values]).toEqual(colours);
    const grey = colours.slice(0, H * W);
    const withAlpha = grey.flatMap((v) => [v * scale, 255 * scale]);
    expect([...decodePng(pngBytes({ ...form, colour: 4 }, withAlpha), 'x').values]).toEqual(grey);
  });

  it.each([1, 2, 4, 8] as const)('a palette, %i bits', (depth) => {
    const most = 2 ** depth - 1;
    const indices = noise(H * W, most);
    const palette = Uint8Array.from(noise(3 * (most + 1), 255));
    const form = { height: H, width: W, colour: 3, depth } as const;
    const bytes = pngBytes({ ...form, chunks: [['PLTE', palette]] }, indices);
    const expected = indices.flatMap((index) => [...palette.subarray(3 * index, 3 * index + 3)]);
    expect([...decodePng(bytes, 'x.png').values]).toEqual(expected);
  });
});

const grey: PngForm = { height: H, width: W, colour: 0, depth: 8 };
const samples = noise(H * W, 255);
const good = pngBytes(grey, samples);
const palette = { ...grey, colour: 3 } as const;
const changed = (at: number) => good.map((byte, k) => (k === at ? byte ^ 1 : byte));

const hostile: readonly (readonly [string, Uint8Array, string])[] = [
  ['an empty file', new Uint8Array(0), 'not a PNG file'],
  ['a JPEG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'not a PNG file'],
  ['a text', Buffer.from('class,pixel1\n3,4\n'), 'not a PNG file'],
  ['only a signature', good.subarray(0, 8), 'it ends early'],
  ['a cut file', good.subarray(0, good.length - 20), 'it ends early'],
  ['a file without its end', good.subarray(0, good.length - 12), 'it ends early'],
  ['a changed width', changed(19), 'a checksum does not hold'],
  ['a changed pixel', changed(45), 'a checksum does not hold'],
  ['no header', Buffer.concat([good.subarray(0, 8), good.subarray(33)]), 'header is not first'],
  ['two headers', Buffer.concat([good.subarray(0, 33), good.subarray(8)]), 'header is not first'],
  ['interlace', pngBytes({ ...grey, interlace: 1 }, samples), 'interlaced'],
  ['an unknown filter', pngBytes({ ...grey, filter: () => 5 }, samples), 'unknown filter'],
  ['a part nobody knows', pngBytes({ ...grey, chunks: [['ABCD', samples8()]] }, samples), '"ABCD"'],
  [
    'a transparent grey',
    pngBytes({ ...grey, chunks: [['tRNS', new Uint8Array(2)]] }, samples),
    'transparent',
  ],
  ['a clear pixel', pngBytes({ ...grey, colour: 4 }, noise(2 * H * W, 255)), 'transparent'],
  ['no palette', pngBytes(palette, samples), 'no palette'],
  [
    'a colour outside its palette',
    pngBytes({ ...palette, chunks: [['PLTE', samples8()]] }, samples),
    'not in its palette',
  ],
  ['nine million million pixels', headerOnly(3_000_000, 3_000_000, 8, 0), 'pixels'],
  ['no pixels', headerOnly(0, 5, 8, 0), '0 pixels'],
  ['3 bits', headerOnly(5, 5, 3, 0), 'no colour type 0 with 3 bits'],
  ['colour type 5', headerOnly(5, 5, 8, 5), 'no colour type 5'],
];

function samples8(): Uint8Array {
  return Uint8Array.from({ length: 6 }, (_, k) => k);
}

function headerOnly(width: number, height: number, depth: number, colour: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour], 8);
  return Buffer.concat([
    good.subarray(0, 8),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(4))),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

describe('a PNG file that cannot be read is refused by name', () => {
  it.each(hostile)('%s', (_, bytes, words) => {
    const read = () => decodePng(bytes, 'cat/17.png');
    expect(read).toThrow(DataError);
    expect(read).toThrow(`cat/17.png: `);
    expect(read).toThrow(words);
  });

  it('wherever it is cut', () => {
    for (let k = 0; k < good.length; k++) {
      expect(() => decodePng(good.subarray(0, k), 'x.png')).toThrow(DataError);
    }
  });
});

describe('a picture gets the form of the study', () => {
  const picture = {
    height: 2,
    width: 2,
    channels: 1,
    values: Uint8Array.of(0, 100, 200, 50),
  } as const;
  it('grey by ITU-R 601-2 in whole numbers, colour by three equal channels', () => {
    const pixels = [
      [255, 0, 0, 76],
      [0, 255, 0, 150],
      [0, 0, 255, 29],
      [255, 255, 255, 255],
      [10, 20, 30, 18],
    ];
    for (const [red, green, blue, expected] of pixels) {
      const one = {
        height: 1,
        width: 1,
        channels: 3,
        values: Uint8Array.of(red, green, blue),
      } as const;
      const wanted = { height: 1, width: 1, channels: 1 } as const;
      expect([...fitPicture(one, wanted, 'x')]).toEqual([expected]);
    }
    const colour = fitPicture(picture, { height: 2, width: 2, channels: 3 }, 'x');
    expect([...colour]).toEqual([0, 0, 0, 100, 100, 100, 200, 200, 200, 50, 50, 50]);
  });

  it('another size is refused with both sizes and what to do, unless the study resizes', () => {
    const wanted = { height: 4, width: 3, channels: 1 } as const;
    const fit = () => fitPicture(picture, wanted, 'cat/1.png');
    expect(fit).toThrow('cat/1.png: an image has 2 × 2 pixels; the study needs 4 × 3');
    expect(fitPicture(picture, { ...wanted, resize: 'bilinear' }, 'x')).toHaveLength(12);
  });

  it('resizing is exact: a constant stays, a double size is the mean of neighbours, a same size changes nothing', () => {
    const flat = { height: 5, width: 3, channels: 3, values: new Uint8Array(45).fill(77) } as const;
    expect([...resized(flat, 8, 8).values]).toEqual(Array(192).fill(77));
    expect([...resized(picture, 2, 2).values]).toEqual([...picture.values]);
    // Centres at half steps: the weights of a doubled side are 3/4 and 1/4.
    expect([...resized(picture, 4, 4).values]).toEqual([
      ...[0, 25, 75, 100],
      ...[50, 59, 78, 88],
      ...[150, 128, 84, 63],
      ...[200, 163, 88, 50],
    ]);
    expect([...resized(picture, 1, 1).values]).toEqual([88]);
  });
});
