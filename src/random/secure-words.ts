import type { WordSource } from './words.ts';

/** Words drawn at once: `getRandomValues` gives at most 65,536 bytes. */
const batch = 8192;

/** The platform's cryptographic randomness: the only source allowed for the noise of a release. */
export function secureWords(): WordSource {
  const drawn = new Uint32Array(batch);
  let used = batch;
  return () => {
    if (used === batch) {
      crypto.getRandomValues(drawn);
      used = 0;
    }
    const word = drawn[used];
    drawn[used++] = 0; // do not keep a word that was used as noise
    return word;
  };
}
