import { DataError } from '../data-error.ts';
import { crc32 } from './crc32.ts';
import { inflate } from './inflate.ts';
import type { Picture } from './picture.ts';
import { unfilter } from './png-filter.ts';
import { refuseVastImage } from './vast-image.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Most bytes of a file: an image of the most pixels takes half of them where nothing is compressed. */
export const MOST_PNG_BYTES: number = 2 ** 29;

/** Samples in a pixel by colour type (PNG specification, §11.2.2). */
const samplesOf = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/** Whether a file begins as a PNG file does. */
export function isPng(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, k) => head[k] === byte);
}

/**
 * Decodes a PNG file: grey, colour or palette, 1 to 16 bits. 16 bits are rounded to 8. Gamma and colour profiles play no part.
 * A transparent pixel has no colour of its own, so an image with one is refused. `unpack` reads the zlib stream.
 */
export function decodePng(
  bytes: Uint8Array,
  file: string,
  unpack: (stream: Uint8Array, length: number) => Uint8Array | undefined = inflate,
): Picture {
  const refuse = (problem: string, remedy: string) => new DataError(problem, { file }, remedy);
  const damaged = (what: string) =>
    refuse(`the PNG file is damaged: ${what}`, 'save the image again, or leave it out');
  if (!isPng(bytes)) throw refuse('not a PNG file', 'save the image as PNG, or leave it out');
  const { header, palette, transparency, data } = chunksOf(bytes, damaged);
  const { width, height, depth, colour, interlace } = header;
  const samples = samplesOf.get(colour);
  if (samples === undefined || !depthsOf(colour).includes(depth)) {
    throw damaged(`it has no colour type ${colour} with ${depth} bits`);
  }
  if (interlace !== 0) {
    throw refuse('the PNG file is interlaced', 'save the image without interlace');
  }
  refuseVastImage(header, file);
  const line = Math.ceil((width * samples * depth) / 8);
  const filtered = unpack(data, (line + 1) * height);
  if (filtered === undefined) throw damaged('its pixels end early or are not as written');
  const lines = unfilter(filtered, line, height, Math.max(1, (samples * depth) / 8));
  if (lines === undefined) throw damaged('a line has an unknown filter');
  const sampled = samplesAs8Bits({ lines, line, width, height, depth, samples, colour });
  const shown = { width, height, samples, sampled, colour };
  const clear = refuse(
    'the image has transparent pixels',
    'save it without transparency, on a background of your choice',
  );
  if (colour === 3) return fromPalette(shown, palette, transparency, damaged, clear);
  if (transparency !== undefined && samples !== 2 && samples !== 4) throw clear;
  return withoutAlpha(shown, clear);
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
  readonly interlace: number;
}

interface Chunks {
  readonly header: Header;
  readonly palette?: Uint8Array;
  readonly transparency?: Uint8Array;
  readonly data: Uint8Array;
}

/** The chunks that matter; unknown ones may be left out where their name says so (§5.4). */
function chunksOf(bytes: Uint8Array, damaged: (what: string) => DataError): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = new TextDecoder('latin1');
  const parts: Uint8Array[] = [];
  let header: Header | undefined;
  let palette: Uint8Array | undefined;
  let transparency: Uint8Array | undefined;
  for (let at = SIGNATURE.length; ; ) {
    if (at + 12 > bytes.length) throw damaged('it ends early');
    const length = view.getUint32(at);
    const to = at + 8 + length;
    if (to + 4 > bytes.length) throw damaged('it ends early');
    const kind = name.decode(bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, to);
    if (crc32(bytes.subarray(at + 4, to)) !== view.getUint32(to)) {
      throw damaged('a checksum does not hold');
    }
    if ((header === undefined) !== (kind === 'IHDR')) throw damaged('its header is not first');
    if (kind === 'IHDR') {
      if (length !== 13) throw damaged('its header has the wrong length');
      const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      header = { width, height, depth: body[8], colour: body[9], interlace: body[12] };
    } else if (kind === 'PLTE') palette = body;
    else if (kind === 'tRNS') transparency = body;
    else if (kind === 'IDAT') parts.push(body);
    else if (kind === 'IEND') break;
    else if ((bytes[at + 4] & 32) === 0) {
      throw damaged(`it needs ${JSON.stringify(kind)}, which is unknown here`);
    }
    at = to + 4;
  }
  return {
    header: header!,
    ...(palette && { palette }),
    ...(transparency && { transparency }),
    data: joined(parts),
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function depthsOf(colour: number): readonly number[] {
  if (colour === 0) return [1, 2, 4, 8, 16];
  return colour === 3 ? [1, 2, 4, 8] : [8, 16];
}

interface Lines {
  readonly lines: Uint8Array;
  /** Bytes of a line. */
  readonly line: number;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly samples: number;
  readonly colour: number;
}

/** Samples as bytes: those of few bits are spread over 0 to 255, but the index of a colour is left as it is. */
function samplesAs8Bits({ lines, line, width, height, depth, samples, colour }: Lines): Uint8Array {
  if (depth === 8) return lines;
  const each = width * samples;
  const out = new Uint8Array(each * height);
  const most = 2 ** depth - 1;
  const times = colour === 3 ? 1 : 255 / most;
  for (let y = 0; y < height; y++) {
    for (let k = 0; k < each; k++) {
      const to = y * each + k;
      if (depth === 16) {
        const at = y * line + 2 * k;
        out[to] = Math.floor((((lines[at] << 8) | lines[at + 1]) * 255 + 32_767) / 65_535);
      } else {
        const bit = k * depth;
        const byte = lines[y * line + (bit >> 3)];
        out[to] = ((byte >> (8 - depth - (bit & 7))) & most) * times;
      }
    }
  }
  return out;
}

interface Sampled {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly sampled: Uint8Array;
}

function fromPalette(
  { width, height, sampled }: Sampled,
  palette: Uint8Array | undefined,
  transparency: Uint8Array = new Uint8Array(0),
  damaged: (what: string) => DataError,
  clear: DataError,
): Picture {
  if (palette === undefined) throw damaged('it has no palette');
  const values = new Uint8Array(3 * sampled.length);
  sampled.forEach((index, k) => {
    if (3 * index + 3 > palette.length) throw damaged('a colour is not in its palette');
    if ((transparency[index] ?? 255) !== 255) throw clear;
    values.set(palette.subarray(3 * index, 3 * index + 3), 3 * k);
  });
  return { width, height, channels: 3, values };
}

function withoutAlpha({ width, height, samples, sampled }: Sampled, clear: DataError): Picture {
  const channels = samples < 3 ? 1 : 3;
  if (samples === channels) return { width, height, channels, values: sampled };
  const values = new Uint8Array(width * height * channels);
  for (let k = 0; k < width * height; k++) {
    if (sampled[k * samples + channels] !== 255) throw clear;
    for (let c = 0; c < channels; c++) values[k * channels + c] = sampled[k * samples + c];
  }
  return { width, height, channels, values };
}
