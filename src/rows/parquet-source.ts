import type { AsyncBuffer } from 'hyparquet';
import { defined } from '../defined.ts';
import type { ParquetHeader } from '../table/parquet.ts';
import { type ByteReader, type FileHandle, withReader } from './files.ts';
import {
  evenRanges,
  fileVersion,
  type Source,
  type SourceRange,
  type SourceReader,
} from './source.ts';

/** A Parquet file; ranges of it count row groups. */
interface ParquetSource extends Source {
  readonly kind: 'parquet';
  readonly file: FileHandle;
  readonly groups: ParquetHeader['rowGroups'];
}

const MAGIC = 'PAR1';

/** Parquet files. Their parser is loaded only when needed. */
export const parquetSource: SourceReader<ParquetSource> = {
  kind: 'parquet',
  async matches(opening) {
    const head = await opening.head();
    return new TextDecoder('latin1').decode(head.subarray(0, MAGIC.length)) === MAGIC;
  },
  version: fileVersion,
  async open(opening) {
    const { parquetHeader } = await import('../table/parquet.ts');
    const file = opening.address;
    const reader = await opening.file();
    const { header, rowGroups } = await parquetHeader(asyncBuffer(reader), file.path);
    const version = await fileVersion(opening);
    const { size: length } = reader;
    return { kind: 'parquet', name: file.path, header, length, version, file, groups: rowGroups };
  },
  cut: ({ groups }, pieces) => evenRanges(groups.length, pieces),
  async scan({ files, source, range, progress }, { wanted, texts, missing, decimal, misfits }) {
    const { draftParquet } = await import('../table/draft-parquet.ts');
    const { name, length, file } = source;
    const edges = range ?? wholeOf(source);
    const cells = rowsOf(source) * wanted.length;
    let seen = 0;
    const options = {
      texts: new Set(texts),
      missing,
      ...defined({ decimal, misfits }),
      onCells(count: number) {
        seen += count;
        progress((length * seen) / cells, 0);
      },
    };
    const draft = await withReader(files, file, (reader) =>
      draftParquet(asyncBuffer(reader), wanted, name, options, groupsOf(edges)),
    );
    return { draft, edges };
  },
  async read({ files, source, range, progress }, columns, sink) {
    const { readParquet } = await import('../table/parquet.ts');
    const { name, length, file } = source;
    const edges = range ?? wholeOf(source);
    const all = rowsOf(source);
    let rows = 0;
    await withReader(files, file, (reader) =>
      readParquet(
        asyncBuffer(reader),
        { file: name, columns },
        (block, firstRow) => {
          sink(block, firstRow);
          rows += block.rows;
          progress((length * rows) / all, rows);
        },
        groupsOf(edges),
      ),
    );
    return edges;
  },
  load: () => Promise.all([import('../table/parquet.ts'), import('../table/draft-parquet.ts')]),
};

function wholeOf({ groups }: ParquetSource): SourceRange {
  return { from: 0, to: groups.length };
}

function groupsOf({ from, to }: SourceRange): { fromGroup: number; toGroup: number } {
  return { fromGroup: from, toGroup: to };
}

function rowsOf({ groups }: ParquetSource): number {
  return groups.reduce((sum, group) => sum + group.rows, 0);
}

/** An open file as hyparquet reads it. */
function asyncBuffer(reader: ByteReader): AsyncBuffer {
  const { size } = reader;
  return {
    byteLength: size,
    slice: (start, end = size) => reader.slice(start < 0 ? size + start : start, end),
  };
}
