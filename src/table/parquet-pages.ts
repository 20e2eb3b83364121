import type {
  AsyncBuffer,
  ColumnChunk,
  DecodedArray,
  Encoding,
  SchemaElement,
  SchemaTree,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { compressors } from 'hyparquet-compressors';

/** A range of cells of one column as stored in the file. */
export interface ParquetPage {
  readonly rows: number;
  /** 1 if a cell has a value, 0 if it is null; undefined if there are no nulls. */
  readonly present: Uint8Array | undefined;
  /** The values without nulls, in order; indices if there is a dictionary. */
  readonly values: DecodedArray;
  readonly dictionary: DecodedArray | undefined;
}

type ColumnDecoder = Parameters<typeof convert>[1];
type PageHeader = Parameters<typeof readDataPageV2>[1];

const WINDOW_BYTES = 2 ** 20;
const HEADER_BYTES = 2 ** 14;

/**
 * The data pages of a flat column chunk, one after the other, holding about a mebibyte of the
 * file at a time however large the row group is.
 */
export async function* readParquetPages(
  buffer: AsyncBuffer,
  chunk: ColumnChunk,
  [root, { element }]: readonly [SchemaTree, SchemaTree],
): AsyncGenerator<ParquetPage> {
  const meta = chunk.meta_data;
  if (meta === undefined || chunk.file_path !== undefined) {
    throw new Error('parquet column chunk is encrypted or in another file');
  }
  const { type, codec, path_in_schema: pathInSchema } = meta;
  // Nulls are handled here, so hyparquet gets a schema element without nulls: the root's.
  const schemaPath = [root];
  const parsers = DEFAULT_PARSERS;
  const decoder = { pathInSchema, type, element, schemaPath, codec, parsers, compressors };
  const optional = element.repetition_type !== 'REQUIRED';
  let position = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const end = position + Number(meta.total_compressed_size);
  const bytes = slidingWindow(buffer, end);
  let dictionary: DecodedArray | undefined;

  const finish = (
    rows: number,
    present: Uint8Array | undefined,
    data: DecodedArray,
    encoding: Encoding,
  ): ParquetPage => {
    if (!encoding.endsWith('_DICTIONARY')) {
      return { rows, present, values: rich(data, decoder), dictionary: undefined };
    }
    if (dictionary === undefined) throw new Error('parquet page lacks its dictionary');
    return { rows, present, values: data, dictionary };
  };

  while (position < end) {
    const reader = { view: viewOf(await bytes(position, HEADER_BYTES)), offset: 0 };
    const header = parquetHeader(reader);
    position += reader.offset;
    const size = header.compressed_page_size;
    const body = (await bytes(position, size)).subarray(0, size);
    position += size;
    const { dictionary_page_header: words, data_page_header: v1, data_page_header_v2: v2 } = header;
    // Without values there may be no bytes, and some decoders do not accept that: hence the tests for 0.
    if (v2) {
      const { num_values: rows, num_nulls: nulls, definition_levels_byte_length: length } = v2;
      const from = v2.repetition_levels_byte_length;
      const present = nulls > 0 ? presence(body.subarray(from, from + length), rows) : undefined;
      const values = body.subarray(from + length);
      const data =
        nulls === rows ? [] : readDataPageV2(values, unlevelled(header), decoder).dataPage;
      yield finish(rows, present, data, v2.encoding);
    } else if (v1) {
      const page = decompressPage(body, header.uncompressed_page_size, codec, compressors);
      const length = optional ? viewOf(page).getUint32(0, true) : 0;
      const values = optional ? page.subarray(4 + length) : page;
      const rows = v1.num_values;
      const present = optional ? presence(page.subarray(4, 4 + length), rows) : undefined;
      const num_values = present === undefined ? rows : count(present);
      const data =
        num_values === 0 ? [] : readDataPage(values, { ...v1, num_values }, decoder).dataPage;
      yield finish(rows, present, data, v1.encoding);
    } else if (words) {
      const whole = header.uncompressed_page_size;
      const page = whole === 0 ? body : decompressPage(body, whole, codec, compressors);
      const at = { view: viewOf(page), offset: 0 };
      dictionary = rich(readPlain(at, type, words.num_values, element.type_length), decoder);
    }
  }
}

/** A version 2 page header for the values alone. */
function unlevelled(header: PageHeader): PageHeader {
  const v2 = header.data_page_header_v2!;
  const levels = v2.definition_levels_byte_length + v2.repetition_levels_byte_length;
  return {
    ...header,
    uncompressed_page_size: header.uncompressed_page_size - levels,
    data_page_header_v2: {
      ...v2,
      definition_levels_byte_length: 0,
      repetition_levels_byte_length: 0,
    },
  };
}

/** Decodes definition levels of 0 and 1; undefined when all are 1. */
function presence(levels: Uint8Array, rows: number): Uint8Array | undefined {
  const reader = { view: viewOf(levels), offset: 0 };
  const run = readVarInt(reader);
  if (run === 2 * rows && levels[reader.offset] === 1) return undefined;
  const present = new Uint8Array(rows);
  readRleBitPackedHybrid({ view: reader.view, offset: 0 }, 1, present, levels.length);
  return count(present) === rows ? undefined : present;
}

function count(present: Uint8Array): number {
  let ones = 0;
  for (let i = 0; i < present.length; i++) ones += present[i]!;
  return ones;
}

/** Values as JavaScript types; decimals stay unscaled, so that scaling rounds correctly. */
function rich(data: DecodedArray, decoder: ColumnDecoder): DecodedArray {
  return isDecimal(decoder.element) ? data : convert(data, decoder);
}

/** A decimal is a whole number over 10^scale. */
export function isDecimal({ converted_type, logical_type }: SchemaElement): boolean {
  return converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL';
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads [from, from + size) or up to `end`, and a window beyond it in the same request. */
function slidingWindow(buffer: AsyncBuffer, end: number) {
  let start = 0;
  let held = new Uint8Array(0);
  return async (from: number, size: number): Promise<Uint8Array> => {
    const wanted = Math.min(from + size, end);
    if (from < start || wanted > start + held.length) {
      const to = Math.min(Math.max(wanted, from + WINDOW_BYTES), end);
      held = new Uint8Array(await buffer.slice(from, to));
      start = from;
    }
    return held.subarray(from - start);
  };
}
