import type { Kernels } from '../numeric/kernels.ts';
import type { PlannedConvolution, Stage } from './stages.ts';
import { type BlockLayout, fours } from './weight-layout.ts';

/**
 * Tables for a convolution that a pool follows: only the positions that the pool chose have an effect, a quarter of them or
 * fewer. A window is a list of vectors of four numbers; a row of a sum has these for one output, and one more for the bias.
 */
export interface ChosenTables {
  /** Vectors of a window, up to a multiple of 4. */
  readonly vectors: number;
  /** Vectors of one row of a window. */
  readonly runVectors: number;
  /** Bytes of the offsets of a window's vectors from its first number. */
  readonly offsets: number;
  /** Bytes of the offsets of the positions from an image's first number, preceded by one for "none". */
  readonly starts: number;
  /** Numbers of the sums. */
  readonly length: number;
  /** For each weight in kernel memory its place in the sums, or −1. */
  readonly places: Int32Array;
  /** Bytes of the same table. */
  readonly table: number;
}

/** The tables of a stage; undefined unless it is a convolution before a pool. */
export function chosenTables(
  kernels: Kernels,
  { layer, pool }: Stage,
  layout: BlockLayout | undefined,
): ChosenTables | undefined {
  if (layer?.kind !== 'convolution' || layout === undefined || pool === 1) return undefined;
  const { size, padding, from, to } = layer;
  const line = (from.width + 2 * padding) * from.channels;
  const runVectors = Math.ceil((size * from.channels) / 4);
  const offsets = Array.from({ length: size * runVectors }, (_, k) => {
    return 4 * (Math.floor(k / runVectors) * line + 4 * (k % runVectors));
  });
  while (offsets.length % 4 !== 0) offsets.push(0);
  const starts = Array.from({ length: to.height * to.width }, (_, position) => {
    const y = Math.floor(position / to.width);
    return 4 * (y * line + (position - y * to.width) * from.channels);
  });
  const put = (values: ArrayLike<number>) => {
    const pointer = kernels.allocate(4 * values.length);
    new Int32Array(kernels.memory.buffer, pointer, values.length).set(values);
    return pointer;
  };
  const vectors = offsets.length;
  const places = placesOf(layout, layer, vectors);
  return {
    ...{ vectors, runVectors, places },
    offsets: put(offsets),
    starts: put([0, ...starts]),
    length: fours(layout.block.rows * 4 * (vectors + 1)),
    table: put(places),
  };
}

/** For each weight in kernel memory, [input][output], its place in the sums, [output][window row][rest of the window]. */
function placesOf(
  { block, inputs, outputs }: BlockLayout,
  { size, from }: PlannedConvolution,
  vectors: number,
): Int32Array {
  const run = size * from.channels;
  const values = size * run;
  const runLength = fours(run);
  return Int32Array.from({ length: inputs * outputs }, (_, k) => {
    const [input, output] = [Math.floor(k / outputs), k % outputs];
    if (input >= block.columns || output >= block.rows) return -1;
    const row = Math.floor(input / run);
    const place = input === values ? 4 * vectors : row * runLength + (input - row * run);
    return output * 4 * (vectors + 1) + place;
  });
}
