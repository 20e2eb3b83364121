import type { ImageShape } from '../study/study.ts';

/** How far apart, in bytes, neighbours stand in a file of images. */
export interface Strides {
  readonly image: number;
  readonly row: number;
  readonly column: number;
  readonly channel: number;
}

/** Each channel a plane, row by row, as in CIFAR's files and in arrays n × c × h × w. */
export function planes({ height, width, channels }: ImageShape): Strides {
  const channel = height * width;
  return { image: channels * channel, row: width, column: 1, channel };
}

/** Each channel a plane, column by column, as MATLAB holds an array h × w × c × n. */
export function columnPlanes({ height, width, channels }: ImageShape): Strides {
  const channel = height * width;
  return { image: channels * channel, row: 1, column: height, channel };
}

/** `count` images row by row, with the channels of a pixel together, from a file that has them otherwise. */
export function pixelsTogether(
  bytes: Uint8Array,
  count: number,
  { height, width, channels }: ImageShape,
  strides: Strides,
): Uint8Array {
  const out = new Uint8Array(count * height * width * channels);
  let at = 0;
  for (let k = 0; k < count; k++) {
    for (let y = 0; y < height; y++) {
      let from = k * strides.image + y * strides.row;
      for (let x = 0; x < width; x++, from += strides.column) {
        for (let c = 0; c < channels; c++) out[at++] = bytes[from + c * strides.channel];
      }
    }
  }
  return out;
}
