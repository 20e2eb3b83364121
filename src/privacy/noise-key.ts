import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { keyedWords } from '../random/keyed-words.ts';
import type { WordSource } from '../random/words.ts';

/** Who adds a noise to sums. Two parties get unlike noise even from the same secret. */
type Adder = 'coordinator' | 'helper';

const purposes: Readonly<Record<Adder, string>> = {
  coordinator: 'suffice/noise@1',
  helper: 'suffice/helper-noise@1',
};

/**
 * The key of a party's noise on the sum of a set of contributions, as hex. Only the holder of the secret can compute it, and the
 * same set gets the same noise every time, so averaging repeated answers does not remove it.
 */
export function noiseKey(adder: Adder, secret: string, study: string, set: string): string {
  const purpose = utf8ToBytes(`${purposes[adder]} ${study} ${set}`);
  return bytesToHex(hmac(sha256, utf8ToBytes(secret), purpose));
}

/** Random words of a noise, from its key. */
export function keyedNoise(key: string): WordSource {
  return keyedWords(hexToBytes(key), 'total');
}
