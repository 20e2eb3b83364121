import { readFileSync } from 'node:fs';
import { digitsOfFiles, type SmallDigits } from '../experiments/fisher/small-digits.ts';

/** All 1,797 digits of examples/digits, in the order of the lab. */
export function exampleDigits(): SmallDigits {
  const read = (name: string) =>
    readFileSync(new URL(`../examples/digits/${name}`, import.meta.url));
  return digitsOfFiles(
    ['north', 'middle', 'south', 'held-out'].map((name) => ({
      images: read(`${name}-images.idx3-ubyte`),
      labels: read(`${name}-labels.idx1-ubyte`),
    })),
  );
}
