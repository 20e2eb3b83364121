import { keyStream } from '../cipher/key-stream.ts';
import { columnBytes, type PairRing, productsBytes } from './pair-ring.ts';
import { type RingColumn, ringDifference, unsigned } from './ring-column.ts';
import { ringProducts } from './ring-products.ts';

/*
 * Products of two parties' columns, A at the left and B at the right (Beaver 1991, in one message each way):
 *   dealer       U, V, R₁ uniform from seeds; R₂ = UᵀV − R₁
 *   left         knows U and R₁, sends X = A − U, gets Y
 *   right        knows V and R₂, sends Y = B − V, gets X
 *   shares       left UᵀY + R₁, right XᵀB + R₂: they add up to AᵀB
 * X and Y are uniform whatever A and B are, and so is each share.
 */

/** What the dealer gives to the left party: a seed. */
export interface LeftDeal {
  readonly seed: Uint8Array;
}

/** What the dealer gives to the right party: a seed, and R₂. */
export interface RightDeal {
  readonly seed: Uint8Array;
  readonly correction: Uint8Array;
}

/** At the dealer: R₂ for two seeds. */
export function dealProducts(ring: PairRing, left: Uint8Array, right: Uint8Array): Uint8Array {
  const { columns: u, rest } = leftMasks(ring, left);
  const products = ringProducts(u, rightMasks(ring, right), ring.widthOf);
  return shares(ring, products, (_, k) => -rest[k]);
}

/** What a party sends to the other one: its columns minus their masks. */
export function shiftedColumns(
  ring: PairRing,
  side: 'left' | 'right',
  columns: readonly RingColumn[],
  seed: Uint8Array,
): Uint8Array {
  const masks = side === 'left' ? leftMasks(ring, seed).columns : rightMasks(ring, seed);
  return concatenated(columns.map((column, k) => ringDifference(column, masks[k]).bytes));
}

/** The left party's share of the products; `shifted` is what the right one sent, `pad` what both know and the coordinator does not. */
export function leftShare(
  ring: PairRing,
  { seed }: LeftDeal,
  shifted: Uint8Array,
  pad: readonly bigint[],
): bigint[] {
  const { columns: u, rest } = leftMasks(ring, seed);
  const y = columnsIn(shifted, ring.rightWidths, ring.rows);
  const products = ringProducts(u, y, ring.widthOf);
  return inRing(ring, products, (k) => rest[k] + pad[k]);
}

/** The right party's share of the products; `shifted` is what the left one sent. */
export function rightShare(
  ring: PairRing,
  { correction }: RightDeal,
  columns: readonly RingColumn[],
  shifted: Uint8Array,
  pad: readonly bigint[],
): bigint[] {
  const x = columnsIn(shifted, ring.leftWidths, ring.rows);
  const products = ringProducts(x, columns, ring.widthOf);
  const dealt = numbersIn(ring, correction);
  return inRing(ring, products, (k) => dealt[k] - pad[k]);
}

/** Uniform numbers of a key, one for each product. */
export function productPad(ring: PairRing, key: Uint8Array): bigint[] {
  return numbersIn(ring, streamBytes(key, productsBytes(ring)));
}

function leftMasks(ring: PairRing, seed: Uint8Array) {
  const own = columnBytes(ring.leftWidths, ring.rows);
  const bytes = streamBytes(seed, own + productsBytes(ring));
  return {
    columns: columnsIn(bytes.subarray(0, own), ring.leftWidths, ring.rows),
    rest: numbersIn(ring, bytes.subarray(own)),
  };
}

function rightMasks(ring: PairRing, seed: Uint8Array): RingColumn[] {
  const bytes = streamBytes(seed, columnBytes(ring.rightWidths, ring.rows));
  return columnsIn(bytes, ring.rightWidths, ring.rows);
}

function streamBytes(key: Uint8Array, length: number): Uint8Array {
  const words = keyStream(key, Math.ceil(length / 4));
  return new Uint8Array(words.buffer, words.byteOffset, length);
}

/** Columns one after the other. */
function columnsIn(bytes: Uint8Array, widths: readonly number[], rows: number): RingColumn[] {
  if (bytes.length !== columnBytes(widths, rows)) throw new RangeError('wrong number of bytes');
  let at = 0;
  return widths.map((width) => {
    const from = at;
    at += width * rows;
    return { width, bytes: bytes.subarray(from, at) };
  });
}

/** One number for each product, row by row. */
function numbersIn(ring: PairRing, bytes: Uint8Array): bigint[] {
  if (bytes.length !== productsBytes(ring)) throw new RangeError('wrong number of bytes');
  let at = 0;
  return everyPair(ring, (width) => {
    const from = at;
    at += width;
    return unsigned(bytes.subarray(from, at));
  });
}

function everyPair<T>(ring: PairRing, of: (width: number, k: number) => T): T[] {
  const right = ring.rightColumns.length;
  return ring.leftColumns.flatMap((_, i) =>
    ring.rightColumns.map((_, j) => of(ring.widthOf(i, j), i * right + j)),
  );
}

function inRing(ring: PairRing, products: readonly bigint[], add: (k: number) => bigint): bigint[] {
  return everyPair(ring, (width, k) => BigInt.asUintN(8 * width, products[k] + add(k)));
}

/** Numbers of the products as bytes. */
function shares(
  ring: PairRing,
  products: readonly bigint[],
  add: (width: number, k: number) => bigint,
): Uint8Array {
  return concatenated(
    everyPair(ring, (width, k) => {
      let rest = BigInt.asUintN(8 * width, products[k] + add(width, k));
      return Uint8Array.from({ length: width }, () => {
        const byte = Number(rest & 255n);
        rest >>= 8n;
        return byte;
      });
    }),
  );
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
