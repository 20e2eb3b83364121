import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { useEd25519 } from '../../protocol/signature.ts';
import { useSha256 } from '../../study/digest.ts';

/** DER prefixes of a 32-byte key (RFC 8410 §7 and §4). */
const SECRET_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Switches to OpenSSL for hashes and signatures. The results are the same as with the portable
 * code, except for signatures that only ZIP 215 accepts; an honest key never makes those.
 */
export function useNativeCrypto(): void {
  useSha256((parts) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  });
  let last: { readonly der: Buffer; readonly key: KeyObject } | undefined;
  useEd25519({
    sign(message, secret) {
      const der = Buffer.concat([SECRET_PREFIX, secret]);
      // A process signs with one key, and parsing the key costs more than signing.
      if (last?.der.equals(der) !== true) {
        last = { der, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
      }
      return sign(null, message, last.key);
    },
    verify(signature, message, key) {
      const der = Buffer.concat([PUBLIC_PREFIX, key]);
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
      return verify(null, message, publicKey, signature);
    },
  });
}
