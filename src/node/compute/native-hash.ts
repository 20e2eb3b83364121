import { createHash } from 'node:crypto';
import { useSha256 } from '../../study/digest.ts';

/** Switches to OpenSSL for SHA-256. The digests are the same, and no signature is loaded for it. */
export function useNativeHash(): void {
  useSha256((parts) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  });
}
