import { toBase64url } from '../text/base64url.ts';

/** Thirty-two random bytes as base64url: a message with it cannot be guessed from its digest. */
export function newNonce(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}
