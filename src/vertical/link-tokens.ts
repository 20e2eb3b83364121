import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { normalisedKey } from './normalised-key.ts';

/** Bytes of a token: two of 2³² keys agree by chance once in 2⁶⁴ studies. */
export const TOKEN_BYTES = 16;

/** Tokens of a party's rows for every pass: row r of pass p begins at (p·rows + r)·16. A token of zeros: the row has no key in this pass. */
export interface LinkTokens {
  readonly rows: number;
  readonly passes: number;
  readonly bytes: Uint8Array;
}

/** Tells the texts of one row's key columns in a pass; undefined where one is missing. */
export type KeyOf = (pass: number, row: number) => readonly string[] | undefined;

/**
 * HMAC-SHA256 of the normalised key under a secret that the linker does not know, cut to 16 bytes. The number of the pass is part of
 * the text, so a key matches only in its own pass.
 */
export function linkTokens(
  secret: Uint8Array,
  rows: number,
  passes: number,
  keyOf: KeyOf,
): LinkTokens {
  const bytes = new Uint8Array(passes * rows * TOKEN_BYTES);
  const keyed = hmac.create(sha256, secret);
  const encoder = new TextEncoder();
  for (let pass = 0; pass < passes; pass++) {
    for (let row = 0; row < rows; row++) {
      const key = keyOf(pass, row)?.map(normalisedKey);
      if (key === undefined || key.includes('')) continue;
      const text = encoder.encode(JSON.stringify([pass, ...key]));
      const token = keyed.clone().update(text).digest().subarray(0, TOKEN_BYTES);
      bytes.set(token, (pass * rows + row) * TOKEN_BYTES);
    }
  }
  return { rows, passes, bytes };
}

/** The token of a row in a pass as a text; undefined if it has none. */
export function tokenText(
  { rows, bytes }: LinkTokens,
  pass: number,
  row: number,
): string | undefined {
  const at = (pass * rows + row) * TOKEN_BYTES;
  let text = '';
  let any = 0;
  for (let k = at; k < at + TOKEN_BYTES; k++) {
    any |= bytes[k];
    text += String.fromCharCode(bytes[k]);
  }
  return any === 0 ? undefined : text;
}

/** The rows of a party in the order of their tokens, which says nothing about the order in its file. */
export function inTokenOrder(tokens: LinkTokens): Uint32Array {
  const texts = Array.from({ length: tokens.rows }, (_, row) => {
    for (let pass = 0; pass < tokens.passes; pass++) {
      const text = tokenText(tokens, pass, row);
      if (text !== undefined) return `${pass}${text}`;
    }
    return '';
  });
  return Uint32Array.from(texts.keys()).sort((a, b) =>
    texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b,
  );
}

/** Some rows of the tokens, in a new order. */
export function tokensAt(tokens: LinkTokens, order: Uint32Array): LinkTokens {
  const { passes } = tokens;
  const bytes = new Uint8Array(passes * order.length * TOKEN_BYTES);
  for (let pass = 0; pass < passes; pass++) {
    order.forEach((row, k) => {
      const from = (pass * tokens.rows + row) * TOKEN_BYTES;
      bytes.set(
        tokens.bytes.subarray(from, from + TOKEN_BYTES),
        (pass * order.length + k) * TOKEN_BYTES,
      );
    });
  }
  return { rows: order.length, passes, bytes };
}
