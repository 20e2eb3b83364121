import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { publish, readIfThere } from './safe-file.ts';

/** What a site alone can compute: tags of its rows, and seals of its ledger. */
export interface SiteSecret {
  /** 128 bits for SipHash, as four words. */
  readonly tagKey: Uint32Array;
  /** HMAC-SHA256 of a text, as 64 hex digits. */
  seal(text: string): string;
}

const SCHEMA = 'suffice/site-secret@1';

/** A secret that is made up now; `keep` writes it down unless there is one already. */
export function newSecret(): SiteSecret & { keep(path: string): Promise<void> } {
  const bytes = randomBytes(32);
  const text = `${JSON.stringify({ schema: SCHEMA, secret: bytes.toString('base64url') })}\n`;
  return { ...secretOf(bytes), keep: (path) => publish(path, text, 0o600) };
}

/** The secret that was written down, if one was. It is not the signing key: that one may be replaced, this one never. */
export async function readSecret(path: string): Promise<SiteSecret | 'unreadable' | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const held = /^\{"schema":"suffice\/site-secret@1","secret":"([\w-]{43})"\}\n$/.exec(text);
  return held === null ? 'unreadable' : secretOf(Buffer.from(held[1], 'base64url'));
}

/** Keys for the two purposes, by HKDF-SHA256 (RFC 5869). */
function secretOf(bytes: Buffer): SiteSecret {
  const derived = (purpose: string, length: number) =>
    new Uint8Array(hkdfSync('sha256', bytes, '', purpose, length));
  const sealKey = derived('suffice ledger seal', 32);
  const tagBytes = new DataView(derived('suffice row tags', 16).buffer);
  return {
    tagKey: Uint32Array.from({ length: 4 }, (_, k) => tagBytes.getUint32(4 * k, true)),
    seal: (text) => createHmac('sha256', sealKey).update(text).digest('hex'),
  };
}
