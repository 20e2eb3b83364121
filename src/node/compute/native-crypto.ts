import {
  createCipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { useKeyStream } from '../../cipher/key-stream.ts';
import { useX25519 } from '../../cipher/x25519.ts';
import { useEd25519 } from '../../protocol/signature.ts';
import { useNativeHash } from './native-hash.ts';

/** DER prefixes of a 32-byte key (RFC 8410 §7 and §4). */
const SECRET_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const X25519_SECRET_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const X25519_PUBLIC_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

/**
 * Switches to OpenSSL for hashes, key streams, shared secrets and signatures. The results are the same as with the portable
 * code, except for signatures that only ZIP 215 accepts; an honest key never makes those.
 */
export function useNativeCrypto(): void {
  useNativeHash(createHash);
  useKeyStream((key) => {
    const cipher = createCipheriv('chacha20', key, new Uint8Array(16));
    return (bytes) => cipher.update(zerosOf(bytes));
  });
  const privateKey = parsedKeys(SECRET_PREFIX);
  useEd25519({
    getPublicKey(secret) {
      const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' });
      return new Uint8Array(der.subarray(PUBLIC_PREFIX.length));
    },
    sign: (message, secret) => sign(null, message, privateKey(secret)),
    verify(signature, message, key) {
      return verify(null, message, publicKeyOf('Ed25519', key), signature);
    },
  });
  useX25519({
    getPublicKey(secret) {
      const der = createPublicKey(x25519Private(secret)).export({ format: 'der', type: 'spki' });
      return new Uint8Array(der.subarray(X25519_PUBLIC_PREFIX.length));
    },
    getSharedSecret(secret, publicKey) {
      const [privateKey, other] = [x25519Private(secret), publicKeyOf('X25519', publicKey)];
      return new Uint8Array(diffieHellman({ privateKey, publicKey: other }));
    },
  });
}

/** A public key from its 32 bytes. As JWK, because OpenSSL takes nine times longer to read DER. */
function publicKeyOf(curve: 'Ed25519' | 'X25519', key: Uint8Array): KeyObject {
  const x = Buffer.from(key).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: curve, x }, format: 'jwk' });
}

const x25519Private = parsedKeys(X25519_SECRET_PREFIX);

/** Keys that stay parsed: parsing one costs more than signing, and a process uses few of them again and again. */
const MOST_PARSED = 16;

/** Parses secrets behind a DER prefix, each once while it is among the last that were used. */
function parsedKeys(prefix: Buffer): (secret: Uint8Array) => KeyObject {
  const parsed = new Map<string, KeyObject>();
  return (secret) => {
    const der = Buffer.concat([prefix, secret]);
    const name = der.toString('base64');
    const key = parsed.get(name) ?? createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    parsed.delete(name);
    parsed.set(name, key);
    if (parsed.size > MOST_PARSED) parsed.delete(parsed.keys().next().value!);
    return key;
  };
}

let zeros = new Uint8Array(0);

/** Zeros to encrypt: the same for parts of one size. */
function zerosOf(bytes: number): Uint8Array {
  if (zeros.length !== bytes) zeros = new Uint8Array(bytes);
  return zeros;
}
