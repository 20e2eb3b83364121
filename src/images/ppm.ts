import { DataError } from '../data-error.ts';
import type { Picture } from './picture.ts';
import { refuseVastImage } from './vast-image.ts';

/** Most bytes of a file: an image of the most pixels in colour, and room for comments. */
export const MOST_PPM_BYTES: number = 2 ** 27;

const NUMBER = String.raw`(?:[ \t-\r]|#[^\n\r]*[\n\r])+(\d{1,9})`;
/** The kind, width, height and largest value, with blanks or comments before each, and one blank before the pixels. */
const HEADER = new RegExp(String.raw`^P6${NUMBER}${NUMBER}${NUMBER}[ \t-\r]`);
const MOST_HEADER_BYTES = 2 ** 12;

/** Decodes a PPM file of the kind P6 (Netpbm): colour, one byte a value. */
export function decodePpm(bytes: Uint8Array, file: string): Picture {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MOST_HEADER_BYTES));
  const found = HEADER.exec(text);
  if (found === null) {
    throw new DataError(
      'not a PPM file of the kind P6',
      { file },
      'save the image as binary PPM or as PNG, or leave it out',
    );
  }
  const [width, height, most] = found.slice(1).map(Number);
  if (most !== 255) {
    throw new DataError(
      'the values of the PPM file do not go from 0 to 255',
      { file },
      'save the image with 8 bits a channel',
    );
  }
  refuseVastImage({ height, width }, file);
  const values = bytes.subarray(found[0].length);
  if (values.length === 3 * height * width) return { height, width, channels: 3, values };
  throw new DataError(
    `the PPM file does not hold what its header says: ${height} × ${width} pixels in colour`,
    { file },
    'the file is damaged or incomplete: fetch or save it again',
  );
}
