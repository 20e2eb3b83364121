/** An image: its values row by row, and within a pixel channel by channel. */
export interface Picture {
  readonly height: number;
  readonly width: number;
  /** 1: grey; 3: red, green and blue. */
  readonly channels: 1 | 3;
  readonly values: Uint8Array;
}
