import type { Kernels } from '../numeric/kernels.ts';
import type { Spellings } from './spellings.ts';

// Mirrors kernels/csv-field.as.ts.
const FIELD_BYTES = 128;
const SKIP = 0;
const NUMBER = 1;
const TEXT = 2;
const SURVEYED = 3;
const NO_MARK = 0xffff;

/** How the kernel passed a cell to JavaScript: bits of `how`. */
export const cellWas = { quoted: 1, escaped: 2, outOfRange: 4 } as const;

/** Why the kernel refuses a record. */
export const recordIs = {
  ragged: 1,
  strayQuote: 2,
  textAfterQuote: 3,
  tooLong: 4,
  doubted: 5,
} as const;

/** Larger magnitudes are refused: their squares would overflow float64. */
export const LARGEST_MAGNITUDE = 1e150;

/** What the kernel does with one field of every record. */
export interface Field {
  readonly kind: 'number' | 'text';
  /** Where values go: a column of f64. */
  readonly out: number;
  readonly spellings: Spellings;
  readonly decimal?: '.' | ',';
  readonly range?: readonly [number, number];
  /** Numbers that mark a missing cell. */
  readonly markers?: readonly number[];
  /** Pointer to the statistics of a survey. */
  readonly survey?: number;
}

/** Descriptors of all fields of a file in kernel memory. */
export interface Fields {
  readonly pointer: number;
  readonly width: number;
  /** Tells the kernel where a table has moved to. */
  refresh(index: number): void;
  /** Tells the kernel not to ask about further texts of a surveyed field. */
  close(index: number): void;
  /** How often each number that marks a missing cell was found. */
  markerCounts(index: number): number[];
}

/** Writes one descriptor for each header field; undefined fields are skipped. */
export function layFields(
  kernels: Kernels,
  fields: readonly (Field | undefined)[],
  delimiter: number,
): Fields {
  const pointer = kernels.allocate((fields.length + 1) * FIELD_BYTES);
  const markerPointers = fields.map((field) => layMarkers(kernels, field?.markers ?? []));
  const view = (index: number) =>
    new DataView(kernels.memory.buffer, pointer + index * FIELD_BYTES, FIELD_BYTES);
  fields.forEach((field, index) => {
    const v = view(index);
    if (field === undefined) {
      v.setInt32(0, SKIP, true);
      return;
    }
    const number = field.survey === undefined ? NUMBER : SURVEYED;
    v.setInt32(0, field.kind === 'number' ? number : TEXT, true);
    const mark = (field.decimal ?? '.').charCodeAt(0);
    const markers = field.markers ?? [];
    const [low, high] = field.range ?? [-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE];
    const [safeLow, safeHigh] = widestFree(low, high, markers);
    v.setUint32(4, field.out, true);
    v.setUint32(8, mark === delimiter ? NO_MARK : mark, true);
    v.setUint32(12, mark, true);
    v.setUint32(16, field.spellings.pointer, true);
    v.setUint32(20, field.spellings.mask, true);
    v.setUint32(24, markerPointers[index]!, true);
    v.setInt32(28, markers.length, true);
    v.setFloat64(32, safeLow, true);
    v.setFloat64(40, safeHigh, true);
    v.setFloat64(48, low, true);
    v.setFloat64(56, high, true);
    v.setUint32(64, field.survey ?? 0, true);
    v.setUint32(68, (mark === 46 ? ',' : '.').charCodeAt(0), true);
    v.setInt32(72, 0, true);
  });
  view(fields.length).setInt32(0, SKIP, true);
  return {
    pointer,
    width: fields.length,
    refresh(index) {
      view(index).setUint32(16, fields[index]!.spellings.pointer, true);
      view(index).setUint32(20, fields[index]!.spellings.mask, true);
    },
    close: (index) => view(index).setInt32(72, 1, true),
    markerCounts: (index) =>
      (fields[index]?.markers ?? []).map(
        (_, i) => kernels.f64(markerPointers[index]! + 16 * i + 8, 1)[0]!,
      ),
  };
}

function layMarkers(kernels: Kernels, markers: readonly number[]): number {
  const pointer = kernels.allocate(Math.max(1, markers.length) * 16);
  kernels.f64(pointer, 2 * markers.length).set(markers.flatMap((marker) => [marker, 0]));
  return pointer;
}

/** The widest part of [low, high] without any marker: the kernel's fast path. */
function widestFree(
  low: number,
  high: number,
  markers: readonly number[],
): readonly [number, number] {
  const cuts = markers.filter((m) => m >= low && m <= high).sort((a, b) => a - b);
  let best: readonly [number, number] = [Infinity, -Infinity];
  let from = low;
  for (const cut of [...cuts, Infinity]) {
    const to = cut === Infinity ? high : below(cut);
    if (to >= from && !(to - from < best[1] - best[0])) best = [from, to];
    from = -below(-cut);
  }
  return best;
}

/** A number below x, close by. */
function below(x: number): number {
  return x - Math.max(Math.abs(x) * 2 ** -52, Number.MIN_VALUE);
}
