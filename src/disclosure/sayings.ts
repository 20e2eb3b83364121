import { parseDecimal } from '../numeric/decimal.ts';
import { trimBlanks } from '../table/cell-text.ts';
import { LARGEST_MAGNITUDE } from '../table/csv-fields.ts';
import { sipHash } from './sip-hash.ts';

/** What a cell says, as a number for a row tag. It follows from the text alone, so no codebook can change it. */
export interface Sayings {
  /** A number is itself, with either decimal mark; true is 1 and false 0; an empty cell is NaN; another text is its hash. */
  cell(text: string): number;
  /** A person's id is the hash of its text; a whole number is without zeros before it and ".0" after it. An empty cell is NaN. */
  person(text: string): number;
}

const encoder = new TextEncoder();

/** Sayings under the site's key. Hashes are numbers of at least 2¹⁰²³, which no number column can hold. */
export function sayings(key: Uint32Array): Sayings {
  const hash = sipHash(key);
  const words = new Uint32Array(2);
  const value = new Float64Array(words.buffer);
  const hashed = (text: string) => {
    const bytes = encoder.encode(text);
    const padded = new Uint8Array(8 * Math.ceil((bytes.length + 1) / 8));
    padded.set(bytes);
    hash(new Uint32Array(padded.buffer), bytes.length, words, 0);
    // The sign and 52 bits of the fraction are the hash's; the exponent is the largest of a finite number.
    words[1] = (words[1] & 0x800fffff) | 0x7fe00000;
    return value[0];
  };
  return {
    cell(text) {
      const said = trimBlanks(text);
      if (said === '') return Number.NaN;
      if (/^(?:true|false)$/i.test(said)) return said.length === 'true'.length ? 1 : 0;
      const number = parseDecimal(said) ?? parseDecimal(said, ',');
      return number !== undefined && Math.abs(number) <= LARGEST_MAGNITUDE ? number : hashed(said);
    },
    person(text) {
      const said = trimBlanks(text);
      return said === '' ? Number.NaN : hashed(said.replace(/^0*(\d+)(?:[.,]0)?$/, '$1'));
    },
  };
}
