import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { useEd25519 } from '../../protocol/signature.ts';
import { useNativeHash } from './native-hash.ts';

/** DER prefixes of a 32-byte key (RFC 8410 §7 and §4). */
const SECRET_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Switches to OpenSSL for hashes and signatures. The results are the same as with the portable
 * code, except for signatures that only ZIP 215 accepts; an honest key never makes those.
 */
export function useNativeCrypto(): void {
  useNativeHash();
  let last: { readonly der: Buffer; readonly key: KeyObject } | undefined;
  const privateKey = (secret: Uint8Array): KeyObject => {
    const der = Buffer.concat([SECRET_PREFIX, secret]);
    // A process signs with one key, and parsing the key costs more than signing.
    if (last?.der.equals(der) !== true) {
      last = { der, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
    }
    return last.key;
  };
  useEd25519({
    getPublicKey(secret) {
      const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
      return der.subarray(PUBLIC_PREFIX.length);
    },
    sign: (message, secret) => sign(null, message, privateKey(secret)),
    verify(signature, message, key) {
      const der = Buffer.concat([PUBLIC_PREFIX, key]);
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
      return verify(null, message, publicKey, signature);
    },
  });
}
