import { createRequire } from 'node:module';
import { useSha256 } from '../../study/digest.ts';

const require = createRequire(import.meta.url);

/** Switches to OpenSSL for hashes. `node:crypto` is loaded by the first hash: a command without one need not wait for it. */
export function useNativeHash(): void {
  useSha256((parts) => {
    const { createHash } = require('node:crypto') as typeof import('node:crypto');
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  });
}
