import type { Examples } from '../../src/network/examples.ts';
import { leNet } from '../../src/network/known-networks.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import { dirichletSites } from '../images/dirichlet.ts';
import { imageSets } from '../images/image-sets.ts';
import { storedImages } from '../images/image-store.ts';

/** Values of an image of MNIST. */
export const PIXELS = 784;
export const CLASSES = 10;
/** The class that the server wants to see; only the first client has it. */
export const TARGET = 3;
const CLIENTS = 10;
const ALPHA = 0.1;

/** Digits in memory: pixels from 0 to 1, one image after the other. */
export interface Digits {
  readonly count: number;
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
}

/** Reads at most `most` digits of a part of MNIST. */
export async function readDigits(part: 'train' | 'test', most: number): Promise<Digits> {
  const { count, labels, block } = await storedImages(imageSets.mnist, part, most);
  const pixels = new Float32Array(count * PIXELS);
  const step = 1000;
  for (let from = 0; from < count; from += step) {
    const { rows, columns } = block(from, Math.min(count, from + step));
    for (let k = 0; k < PIXELS; k++) {
      const column = columns[k + 1]!;
      for (let r = 0; r < rows; r++) pixels[(from + r) * PIXELS + k] = column[r]! / 255;
    }
  }
  return { count, pixels, labels };
}

/** Who has which digits, as in Appendix E: the first client every digit of the target class and some others, nine the rest. */
export interface DigitSplit {
  readonly clients: readonly Uint32Array[];
  /** What the server has itself: images of the other nine clients, so none of the target class. */
  readonly auxiliary: Uint32Array;
}

export function splitDigits(
  { labels }: Digits,
  others: number,
  auxiliary: number,
  seed: number,
): DigitSplit {
  const random = seededWords(seed);
  const shuffled = Uint32Array.from(labels, (_, row) => row);
  for (let k = shuffled.length - 1; k > 0; k--) {
    const other = Math.floor((random() / 2 ** 32) * (k + 1));
    [shuffled[k], shuffled[other]] = [shuffled[other]!, shuffled[k]!];
  }
  const own = shuffled.filter((row) => labels[row] === TARGET);
  const rest = shuffled.filter((row) => labels[row] !== TARGET);
  const elsewhere = rest.subarray(others);
  const clientOf = dirichletSites(
    Uint8Array.from(elsewhere, (row) => labels[row]!),
    ...([CLASSES, CLIENTS - 1, ALPHA, seed] as const),
  );
  const further = Array.from({ length: CLIENTS - 1 }, (_, client) =>
    elsewhere.filter((__, k) => clientOf[k] === client),
  );
  return {
    clients: [Uint32Array.from([...own, ...rest.subarray(0, others)]), ...further],
    auxiliary: elsewhere.subarray(0, auxiliary),
  };
}

const [{ mean, deviation }] = leNet.pixels as [{ mean: number; deviation: number }];

/** A pixel in the scale of the network, and back. */
export const scaled = (pixel: number) => (pixel - mean) / deviation;
export const unscaled = (value: number) => Math.min(1, Math.max(0, value * deviation + mean));

/** Some digits as examples of their classes. */
export function digitExamples({ pixels, labels }: Digits, rows: Uint32Array): Examples {
  return {
    rows: rows.length,
    fill(target, at, row) {
      const from = rows[row]! * PIXELS;
      for (let k = 0; k < PIXELS; k++) target[at + k] = scaled(pixels[from + k]!);
    },
    answers: { kind: 'classes', classes: Uint8Array.from(rows, (row) => labels[row]!) },
  };
}

/** Images of one class as examples. */
export function examplesOfClass(images: readonly Float32Array[], label: number): Examples {
  return {
    rows: images.length,
    fill(target, at, row) {
      target.set(images[row]!.map(scaled), at);
    },
    answers: { kind: 'classes', classes: new Uint8Array(images.length).fill(label) },
  };
}

/** The pixels of one digit. */
export function imageOf({ pixels }: Digits, row: number): Float32Array {
  return pixels.subarray(row * PIXELS, (row + 1) * PIXELS);
}
