import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSigningKey, sealDocument, sign } from '../src/protocol/signature.ts';
import { canonicalJson, canonicalParts } from '../src/study/canonical-json.ts';
import { digestBytes, digestJson } from '../src/study/digest.ts';
import { anyCharacter } from './any-character.ts';

function partsOf(value: unknown): string[] {
  const parts: string[] = [];
  canonicalParts(value, (part) => parts.push(part));
  return parts;
}

// Long lists take the way in parts; keys and texts are any UTF-16, lone halves of a pair too.
const json = fc.jsonValue({ stringUnit: anyCharacter });
const document = fc.record({
  'a "key"': fc.array(json, { maxLength: 200 }),
  report: fc.record({ sites: fc.array(json, { maxLength: 200 }), n: json }),
  absent: fc.constant(undefined),
});

it('canonical JSON in parts has the text, the digest and the signature of the whole', () => {
  const key = createSigningKey();
  fc.assert(
    fc.property(document, (value) => {
      const text = canonicalJson(value);
      expect(partsOf(value).join('')).toBe(text);
      expect(digestJson(value)).toBe(digestBytes(new TextEncoder().encode(text)));
      expect(sealDocument(value, key).seal).toEqual(sign(text, key));
    }),
    { numRuns: 50 },
  );
});

it('canonical JSON of many sites comes in parts, none of them long', () => {
  const list = Array.from({ length: 20_000 }, (_, k) => ({ site: `😀 ${k}`, digests: ['d'] }));
  const value = { contributions: list, empty: [], none: [undefined, null] };
  const parts = partsOf(value);
  expect(parts.length).toBeGreaterThan(5);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 ** 16 + 100);
  expect(parts.join('')).toBe(canonicalJson(value));
  expect(digestJson(value)).toBe(digestBytes(new TextEncoder().encode(canonicalJson(value))));
});
