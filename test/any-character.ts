import fc from 'fast-check';

/**
 * Any code point but half of a surrogate pair, as fast-check's unit `binary`, which first lists all of them: 1.5 s. The way
 * back is for fast-check to build the names that are dangerous, such as `__proto__`.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map(
  (k) => String.fromCodePoint(k < 0xd800 ? k : k + 0x800),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || character !== String.fromCodePoint(point)) {
      throw new RangeError('no character');
    }
    return point < 0xd800 ? point : point - 0x800;
  },
);
