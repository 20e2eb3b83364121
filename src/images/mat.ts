/** Bytes before the first element of a MAT-file (MATLAB's "MAT-File Format", level 5). */
export const MAT_HEADER_BYTES = 128;
/** Bytes of an element that tell what array it holds, at most: its tag, flags, sides and name. */
export const ARRAY_HEAD_BYTES = 512;

/** Kinds of elements and of values (table 1-1 of the format). */
export const MAT_BYTES = 2;
export const MAT_MATRIX = 14;
export const MAT_COMPRESSED = 15;
const INT8 = 1;
const INT32 = 5;
const UINT32 = 6;
/** Classes of arrays of numbers: double, single, and whole numbers of 8 to 64 bits. */
const NUMBER_CLASSES = { least: 6, most: 15 };
const COMPLEX = 8;

/** Whether a file begins as a MAT-file of this level or a later one does. */
export function isMat(head: Uint8Array): boolean {
  return /^MATLAB \d\.\d MAT-file/.test(textOf(head.subarray(0, 32)));
}

/** Whether low bytes come first in a MAT-file of level 5; undefined where the file is of another level. */
export function lowBytesFirst(head: Uint8Array): boolean | undefined {
  const order = textOf(head.subarray(126, MAT_HEADER_BYTES));
  if (order !== 'IM' && order !== 'MI') return undefined;
  const low = order === 'IM';
  const level = low ? head[125] : head[124];
  return level === 1 ? low : undefined;
}

/** The tag of an element: its kind and the place and number of its bytes. */
export interface MatTag {
  readonly kind: number;
  readonly start: number;
  readonly bytes: number;
  /** Where the next element begins, if this one is not compressed. */
  readonly next: number;
}

/** The tag at a place; undefined where the bytes end before it does. An element of up to 4 bytes may stand within its tag. */
export function matTag(view: DataView, at: number, low: boolean): MatTag | undefined {
  if (at + 8 > view.byteLength) return undefined;
  const word = view.getUint32(at, low);
  const small = word >>> 16;
  if (small > 4) return undefined;
  if (small > 0) return { kind: word & 0xffff, start: at + 4, bytes: small, next: at + 8 };
  const bytes = view.getUint32(at + 4, low);
  const start = at + 8;
  return { kind: word, start, bytes, next: start + 8 * Math.ceil(bytes / 8) };
}

/** An array of a MAT-file, by its head. */
export interface MatArray {
  readonly name: string;
  /** The first counts neighbours. */
  readonly sides: readonly number[];
  /** The kind of its values, and their place and number of bytes, from the element's tag on. */
  readonly values: MatTag;
  /** Bytes of the element with its tag. */
  readonly length: number;
}

/** The array at the start of an element; `other` where it is none of real numbers, undefined where its head is damaged. */
export function matArray(head: Uint8Array, low: boolean): MatArray | 'other' | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const matrix = matTag(view, 0, low);
  if (matrix === undefined) return undefined;
  if (matrix.kind !== MAT_MATRIX) return 'other';
  if (matrix.bytes === 0) return 'other';
  const inside = (at: number, kind: number) => {
    const tag = matTag(view, at, low);
    return tag?.kind === kind && tag.start + tag.bytes <= head.length ? tag : undefined;
  };
  const flags = inside(matrix.start, UINT32);
  if (flags?.bytes !== 8) return undefined;
  const word = view.getUint32(flags.start, low);
  const kind = word & 0xff;
  if (kind < NUMBER_CLASSES.least || kind > NUMBER_CLASSES.most) return 'other';
  const sides = inside(flags.next, INT32);
  if (sides === undefined || sides.bytes < 8) return undefined;
  const name = inside(sides.next, INT8);
  if (name === undefined || ((word >>> 8) & COMPLEX) !== 0) return name && 'other';
  const values = matTag(view, name.next, low);
  const length = matrix.start + matrix.bytes;
  if (values === undefined || values.start + values.bytes > length) return undefined;
  return {
    name: textOf(head.subarray(name.start, name.start + name.bytes)),
    sides: Array.from({ length: sides.bytes >> 2 }, (_, k) =>
      view.getUint32(sides.start + 4 * k, low),
    ),
    values,
    length,
  };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}
