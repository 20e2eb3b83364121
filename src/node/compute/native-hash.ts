import { createRequire } from 'node:module';
import { portableSha256, type RunningSha256, useSha256 } from '../../study/digest.ts';

const require = createRequire(import.meta.url);

/** Below this number of bytes loading `node:crypto` takes longer than hashing without it. */
const WORTH_LOADING = 50_000;

type CreateHash = typeof import('node:crypto').createHash;

/** Switches to OpenSSL for hashes: from the first one of a long text on, or at once where `node:crypto` is loaded and given. */
export function useNativeHash(loaded?: CreateHash): void {
  let createHash = loaded;
  useSha256((parts) => {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    if (createHash === undefined && bytes < WORTH_LOADING) return portableSha256(parts);
    createHash ??= nativeCreateHash();
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  }, runningHash);
}

function nativeCreateHash(): CreateHash {
  return (require('node:crypto') as typeof import('node:crypto')).createHash;
}

function runningHash(): RunningSha256 {
  const hash = nativeCreateHash()('sha256');
  return {
    update(part) {
      hash.update(part);
    },
    hex: () => hash.digest('hex'),
  };
}
