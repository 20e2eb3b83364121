import type { Column } from '../study/codebook.ts';
import type { BlockSink } from '../table/columns.ts';
import type { Draft } from '../table/draft.ts';
import type { ByteReader, FileHandle, Files } from './files.ts';

/**
 * Where rows are said to be: the path of a file or a folder, a file handed to a tab, or the address of a table in a
 * database (`postgres://host/database#table` is a path too).
 */
export type Address = FileHandle;

/**
 * Rows that can be read: a file, a table of a database, a set of images. Plain data, so that a thread can be sent it; a
 * kind adds what its reader must know (an encoding, row groups, a snapshot), and nobody else looks at that.
 */
export interface Source {
  readonly kind: string;
  /** What messages call it; never with a password. */
  readonly name: string;
  /** The columns. Images have one a pixel, named by its place, and one for the class. */
  readonly header: readonly string[];
  /** Bytes, or how many the rows of a database would take: for the bar, and for whether threads are worth it. */
  readonly length: number;
  readonly version: SourceVersion;
}

/**
 * What tells this state of a source from any other: of a file its size and time, of a database its snapshot. A site
 * keeps it beside what was made of the rows, to recognise them when they are given again.
 */
export interface SourceVersion {
  /** Where it is, from wherever it is asked: a path from the root, an address without password. */
  readonly path: string;
  readonly [fact: string]: string | number;
}

/** A run of a source, from `from` up to `to`, in whatever its kind counts: bytes, row groups, rows, images. */
export interface SourceRange {
  readonly from: number;
  readonly to: number;
}

/** What is read of a column: its name, and how the codebook has its cells understood. */
export interface WantedColumn {
  readonly name: string;
  readonly column: Column;
}

/** Bytes and rows read so far. Told once a block or so; what it throws ends the reading, so Stop is heard. */
export type JobProgress = (bytes: number, rows: number) => void;

/** An address that is being looked at. */
export interface Opening {
  readonly address: Address;
  /** Columns that must be there. */
  readonly wanted: readonly string[];
  /** The encoding of a text, where a person says it. */
  readonly encoding?: string;
  /** The file there, opened once for all readers that ask; refused where there is none. */
  file(): Promise<ByteReader>;
  /** Its first bytes. */
  head(): Promise<Uint8Array>;
}

/** A source, or a range of it, under way. */
export interface Reading<S extends Source = Source> {
  readonly files: Files;
  readonly source: S;
  /** The whole where absent. */
  readonly range?: SourceRange;
  readonly progress: JobProgress;
}

/** What a draft is to tell. */
export interface ScanRequest {
  readonly wanted: readonly string[];
  /** Columns of which every distinct text is wanted. */
  readonly texts: readonly string[];
  /** Missing markers besides the usual ones. */
  readonly missing: readonly string[];
  readonly decimal: '.' | ',';
}

/** What a scan met, and the range it really read. */
export interface Scanned {
  readonly draft: Draft;
  readonly edges: SourceRange;
}

/** The rows of a source that is text, as they are written. */
export interface TextRows {
  readonly delimiter: string;
  /** Without line ends, some at a time. */
  readonly records: AsyncIterable<readonly string[]>;
}

/**
 * Reads one kind of source: an entry of the registry in `sources.ts`, or of a host. Its methods are given only sources of
 * its kind. A reader of a database connects in `open`, puts the snapshot into its source, and reads ranges of rows; one of
 * images gives each pixel as a number column and the class as a category, as the codebook lists its levels.
 */
export interface SourceReader<S extends Source = Source> {
  readonly kind: S['kind'];
  /** Whether an address leads to this kind: by its spelling, or by the first bytes of a file. */
  matches(opening: Opening): boolean | Promise<boolean>;
  /** The state of what is there, before any of it is understood. */
  version(opening: Opening): Promise<SourceVersion>;
  /** Looks at what is there; a wanted column that is absent is refused by name. */
  open(opening: Opening): Promise<S>;
  /** At most so many ranges that can be read apart and make up the whole; fewer than two where it cannot be cut. */
  cut(source: S, pieces: number): readonly SourceRange[];
  /** What the columns hold, before any codebook says so. */
  scan(reading: Reading<S>, request: ScanRequest): Promise<Scanned>;
  /**
   * Typed blocks in the order of the rows; the answer is the range that was really read. Ranges whose edges do not meet,
   * or one that is refused, are read again as a whole.
   */
  read(reading: Reading<S>, wanted: readonly WantedColumn[], sink: BlockSink): Promise<SourceRange>;
  /** The rows as text, where the source is text. */
  text?(files: Files, source: S): TextRows;
  /** Loads what reading needs, so that nothing is asked of the network later. */
  load?(): Promise<unknown>;
}

/** So many ranges of about one size, over a length of whole units. */
export function evenRanges(length: number, pieces: number): SourceRange[] {
  const count = Math.min(pieces, length);
  return Array.from({ length: count }, (_, k) => ({
    from: Math.floor((length * k) / count),
    to: Math.floor((length * (k + 1)) / count),
  }));
}
