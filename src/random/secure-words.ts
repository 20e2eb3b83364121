import type { WordSource } from './words.ts';

/** Words at a time: `getRandomValues` gives at most 65,536 bytes. */
const batch = 8192;

/** The platform's cryptographic randomness: the only source that noise of a release may come from. */
export function secureWords(): WordSource {
  const drawn = new Uint32Array(batch);
  let used = batch;
  return () => {
    if (used === batch) {
      crypto.getRandomValues(drawn);
      used = 0;
    }
    const word = drawn[used];
    drawn[used++] = 0; // a word that became noise is not kept
    return word;
  };
}
