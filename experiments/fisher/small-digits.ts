import type { Examples } from '../../src/network/examples.ts';
import { seededWords } from '../../src/random/seeded-words.ts';

/** Handwritten digits of 8 × 8 pixels, a byte a pixel. */
export interface SmallDigits {
  readonly pixels: Uint8Array;
  readonly labels: Uint8Array;
}

export const SIDE = 8;
export const DIGIT_PIXELS: number = SIDE * SIDE;
export const DIGIT_CLASSES = 10;

/** Bytes before the images and the labels of an IDX file. */
const HEADS = { images: 16, labels: 8 } as const;

/** The digits of several pairs of IDX files. */
export function digitsOfFiles(
  files: readonly { readonly images: Uint8Array; readonly labels: Uint8Array }[],
): SmallDigits {
  const joined = (part: 'images' | 'labels') => {
    const parts = files.map((file) => file[part].subarray(HEADS[part]));
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const one of parts) {
      all.set(one, at);
      at += one.length;
    }
    return all;
  };
  return { pixels: joined('images'), labels: joined('labels') };
}

/** Share of the digits that no client has. */
const HELD_OUT = 0.25;

/** Rows for the clients, and rows to test with, drawn at random. */
export function dividedDigits(
  { labels }: SmallDigits,
  seed: number,
): { readonly train: Uint32Array; readonly test: Uint32Array } {
  const random = seededWords(seed);
  const rows = Array.from(labels, (_, row) => [random(), row] as const)
    .sort(([a, r], [b, s]) => a - b || r - s)
    .map(([, row]) => row);
  const test = Math.round(HELD_OUT * rows.length);
  return { test: Uint32Array.from(rows.slice(0, test)), train: Uint32Array.from(rows.slice(test)) };
}

/** Some of the digits for a network, with pixels from −1 to 1. */
export function smallDigitExamples({ pixels, labels }: SmallDigits, rows: Uint32Array): Examples {
  return {
    rows: rows.length,
    fill(target, at, row) {
      const from = DIGIT_PIXELS * rows[row]!;
      for (let k = 0; k < DIGIT_PIXELS; k++) target[at + k] = pixels[from + k]! / 127.5 - 1;
    },
    answers: { kind: 'classes', classes: Uint8Array.from(rows, (row) => labels[row]!) },
  };
}
