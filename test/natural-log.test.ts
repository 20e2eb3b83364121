import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { naturalLog } from '../src/random/natural-log.ts';
import { seededWords } from '../src/random/seeded-words.ts';

const { cases } = JSON.parse(
  readFileSync(new URL('vectors/natural-log.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly (readonly [number, number, number])[] };

/** The distance to the next double away from 0. */
function unitInLastPlace(value: number): number {
  const size = Math.abs(value);
  return 2 ** (Math.floor(Math.log2(size)) - 52);
}

it('is within one unit in the last place of ln x, known to 32 digits', () => {
  for (const [x, hi, lo] of cases) {
    const ours = naturalLog(x);
    if (hi === 0) expect(ours).toBe(0);
    else expect(Math.abs(ours - hi - lo), `ln ${x}`).toBeLessThan(unitInLastPlace(hi));
  }
});

// V8's Math.log is fdlibm's too: streams drawn before this file was there keep their bits.
it('has the bits of this engine’s Math.log on a million values of every size', () => {
  const words = seededWords(5);
  const bits = new DataView(new ArrayBuffer(8));
  let different = 0;
  for (let k = 0; k < 1_000_000; k++) {
    bits.setUint32(0, k % 2 === 0 ? words() : 0x3fe00000 + (words() >>> 11));
    bits.setUint32(4, words());
    const x = bits.getFloat64(0);
    if (!Object.is(naturalLog(x), Math.log(x))) different++;
  }
  expect(different).toBe(0);
});

it.each([0, -0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 5e-324])(
  'says of %s what Math.log does',
  (x) => {
    expect(naturalLog(x)).toBe(Math.log(x));
  },
);
