import { DataError } from '../data-error.ts';

/** An encoding's WHATWG name, as in `TextDecoder`; latin1 is 'windows-1252', as in browsers. */
export type Encoding = string;

/**
 * The encoding of a text file: from its byte order mark, else as declared, else UTF-16 if every other byte of the first line
 * is NUL, else UTF-8. A legacy encoding is never guessed.
 */
export function detectEncoding(head: Uint8Array, declared?: string): Encoding {
  const [a, b, c] = head;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (declared !== undefined) return canonicalName(declared);
  if (alternates(head, 1)) return 'utf-16le';
  if (alternates(head, 0)) return 'utf-16be';
  return 'utf-8';
}

function canonicalName(label: string): Encoding {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    const remedy =
      'Use utf-8, utf-16le, utf-16be, latin1, or another name from encoding.spec.whatwg.org.';
    throw new DataError(`unknown encoding "${label}"`, {}, remedy);
  }
}

/** Whether exactly the bytes at offset `zeros`, zeros + 2, … of the first 64 are NUL. */
function alternates(head: Uint8Array, zeros: 0 | 1): boolean {
  const sample = head.subarray(0, Math.min(64, head.length & ~1));
  return sample.length >= 4 && sample.every((byte, i) => (byte === 0) === (i % 2 === zeros));
}

/** Turns the bytes of a file into UTF-8 piece by piece; a byte order mark of UTF-16 is dropped. */
export interface Transcoder {
  push(chunk: Uint8Array): Uint8Array;
  /** The rest, at the end of the file. */
  end(): Uint8Array;
}

/** A converter from `encoding` to UTF-8; the identity for UTF-8 itself. `file` is named in messages. */
export function transcode(encoding: Encoding, file?: string): Transcoder {
  const nothing = () => new Uint8Array();
  if (encoding === 'utf-8') return { push: (chunk) => chunk, end: nothing };
  if (encoding === 'windows-1252') return { push: windows1252ToUtf8, end: nothing };
  const encoder = new TextEncoder();
  const decode = streamDecoder(encoding, file);
  return {
    push: (chunk) => encoder.encode(decode(chunk)),
    end: () => encoder.encode(decode(undefined)),
  };
}

function streamDecoder(encoding: Encoding, file?: string): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new DataError(
        `the file is not valid ${encoding}`,
        file === undefined ? {} : { file },
        'Save the file as UTF-8, or say which encoding it has.',
        { name: 'encoding' },
      );
    }
  };
}

// By hand: some releases of Node decode 0x80 … 0x9f as control characters (nodejs/node#56542).
const UPPER_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windows1252ToUtf8(chunk: Uint8Array): Uint8Array {
  const out = new Uint8Array(3 * chunk.length);
  let length = 0;
  for (const byte of chunk) {
    const code = byte >= 0x80 && byte < 0xa0 ? UPPER_CONTROLS.charCodeAt(byte - 0x80) : byte;
    if (code < 0x80) {
      out[length++] = code;
    } else if (code < 0x800) {
      out[length++] = 0xc0 | (code >> 6);
      out[length++] = 0x80 | (code & 0x3f);
    } else {
      out[length++] = 0xe0 | (code >> 12);
      out[length++] = 0x80 | ((code >> 6) & 0x3f);
      out[length++] = 0x80 | (code & 0x3f);
    }
  }
  return out.subarray(0, length);
}
