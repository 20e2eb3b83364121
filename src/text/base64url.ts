const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Two characters for each 12 bits. */
const PAIRS: readonly string[] = Array.from(
  { length: 4096 },
  (_, bits) => ALPHABET[bits >> 6] + ALPHABET[bits & 63],
);

const NONE = 255;

/** Six bits for each character code; `NONE` for the others. */
const SIXES = new Uint8Array(128).fill(NONE);
for (const [six, character] of [...ALPHABET].entries()) SIXES[character.charCodeAt(0)] = six;

/** Bytes as base64url without padding (RFC 4648 §5), for URLs, headers and JSON. */
export function toBase64url(bytes: Uint8Array): string {
  let text = '';
  const whole = bytes.length - (bytes.length % 3);
  for (let k = 0; k < whole; k += 3) {
    const bits = (bytes[k] << 16) | (bytes[k + 1] << 8) | bytes[k + 2];
    text += PAIRS[bits >> 12] + PAIRS[bits & 4095];
  }
  if (bytes.length - whole === 1) return text + PAIRS[bytes[whole] << 4];
  if (bytes.length - whole === 2) {
    const bits = (bytes[whole] << 10) | (bytes[whole + 1] << 2);
    return text + PAIRS[bits >> 6] + ALPHABET[bits & 63];
  }
  return text;
}

/** The bytes of a base64url text; undefined for any text that `toBase64url` does not write. */
export function fromBase64url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array((text.length * 3) >> 2);
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    const six = code < 128 ? SIXES[code] : NONE;
    if (six === NONE) return undefined;
    bits = (bits << 6) | six;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[length++] = bits >> held;
    bits &= (1 << held) - 1;
  }
  return bits === 0 ? bytes : undefined; // the bits of the last character that belong to no byte
}
