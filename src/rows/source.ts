import type { Agreement } from '../federate.ts';
import type { TrainingProgress } from '../network/training-progress.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { Codebook } from '../study/codebook.ts';
import type { ImageData } from '../study/image-study.ts';
import type { BlockSink, ColumnToRead, Misfits } from '../table/columns.ts';
import type { Draft } from '../table/draft.ts';
import type { DecimalMark } from '../table/notation.ts';
import type { ByteReader, FileHandle, Files } from './files.ts';
import type { Wording } from './wording.ts';

/**
 * Where rows are: the path of a file or a folder, a file given to a browser tab, or the address of a table in a
 * database (`postgres://host/database#table` is a path too).
 */
export type Address = FileHandle;

/**
 * Rows that can be read: a file, a table of a database, a set of images. Plain data, so that it can be sent to a
 * thread. Each kind adds fields for its own reader (an encoding, row groups, a snapshot).
 */
export interface Source {
  readonly kind: string;
  /** Its name in messages; never with a password. */
  readonly name: string;
  /** The columns. Images have one per pixel, named by its place, and one for the class. */
  readonly header: readonly string[];
  /** Bytes, or an estimate for a database: for the progress bar, and to decide on threads. */
  readonly length: number;
  readonly version: SourceVersion;
  /** The decimal mark of a text file, if all its columns that show one agree. */
  readonly decimal?: DecimalMark;
  /** Where a site words its file otherwise than the study. */
  readonly wording?: Wording;
}

/**
 * Identifies the state of a source: a file by its size and time, a database by its snapshot. A site stores it with the
 * contribution, to recognise the same rows later.
 */
export interface SourceVersion {
  /** An absolute path, or an address without a password. */
  readonly path: string;
  readonly [fact: string]: string | number;
}

/** A range of a source, from `from` up to `to`, in the unit of its kind: bytes, row groups, rows, images. */
export interface SourceRange {
  readonly from: number;
  readonly to: number;
}

/** A column to read. */
export type WantedColumn = ColumnToRead;

/** Bytes and rows read so far, then how far a training is; called about once per block. To stop the work, it throws. */
export type JobProgress = (bytes: number, rows: number, training?: TrainingProgress) => void;

/** The images that a study reads. */
export interface WantedImages extends ImageData {
  readonly labels: 'needed' | 'ignored';
}

/** An address that is being opened. */
export interface Opening {
  readonly address: Address;
  /** Columns that must be there. */
  readonly wanted: readonly string[];
  /** The encoding of a text file, where a person stated it. */
  readonly encoding?: string;
  /** The decimal mark of a text file, where a person stated it. */
  readonly decimal?: DecimalMark;
  /** The file, opened once for all readers; throws where there is none. */
  file(): Promise<ByteReader>;
  /** Its first bytes. */
  head(): Promise<Uint8Array>;
  /** The files below the address, where it is a folder. */
  list(): readonly FileHandle[] | undefined;
  /** In a study of images: what they look like, and whether their classes are needed. */
  readonly images?: WantedImages;
  /** For the draft of a study of images: the size that they are brought to. */
  readonly resizeTo?: ImageSize;
  readonly files: Files;
}

/** The size of images, in pixels. */
export type ImageSize = Pick<ImageData, 'height' | 'width'>;

/** A reading of a source, or of a range of it. */
export interface SourceReading<S extends Source = Source> {
  readonly files: Files;
  readonly source: S;
  /** The whole source where absent. */
  readonly range?: SourceRange;
  readonly progress: JobProgress;
}

/** What a scan collects. */
export interface ScanRequest {
  readonly wanted: readonly string[];
  /** Columns whose distinct texts are collected. */
  readonly texts: readonly string[];
  /** Missing markers besides the usual ones. */
  readonly missing: readonly string[];
  /** What a codebook says about the columns, by their names in the file, where there is one: a database has types to compare. */
  readonly codebook?: Codebook;
  /** The decimal mark that a codebook states; a file's own cells decide before it. */
  readonly decimal?: DecimalMark;
  /** `allow`: no cell refuses the file; `refuse` unless given. */
  readonly misfits?: Misfits;
  /** `declared`: numbers are read with the mark of `decimal` alone; otherwise as the file's cells show. */
  readonly notation?: 'declared';
}

/** Sums that a source may compute itself. */
export interface SumsRequest {
  readonly agreed: Agreement;
  /** The site of all rows. */
  readonly site: string;
  readonly missing: 'drop' | 'refuse';
}

/** The result of a scan, and the range that was really read. */
export interface Scanned {
  readonly draft: Draft;
  readonly edges: SourceRange;
}

/** The rows of a text source, as text. */
export interface TextRows {
  readonly delimiter: string;
  /** The decimal mark that the columns show. */
  readonly decimal?: DecimalMark;
  /** Without line ends, in batches. */
  readonly records: AsyncIterable<readonly string[]>;
}

/**
 * Reads one kind of source: an entry of the registry in `sources.ts`, or of a host. Its methods get only sources of
 * its kind. A reader of a database connects in `open`, stores the snapshot in its source, and reads ranges of rows. A
 * reader of images returns each pixel as a number column and the class as a category, with the levels of the codebook.
 */
export interface SourceReader<S extends Source = Source> {
  readonly kind: S['kind'];
  /** Whether an address has this kind: by its text, or by the first bytes of a file. */
  matches(opening: Opening): boolean | Promise<boolean>;
  /** The state of the source, before it is parsed. */
  version(opening: Opening): Promise<SourceVersion>;
  /** Opens the source; refuses, by name, a wanted column that is absent. */
  open(opening: Opening): Promise<S>;
  /** Cuts the source into at most `pieces` ranges that can be read separately; fewer than two where it cannot be cut. */
  cut(source: S, pieces: number): readonly SourceRange[];
  /** Scans the columns, before there is a codebook. */
  scan(reading: SourceReading<S>, request: ScanRequest): Promise<Scanned>;
  /**
   * Reads typed blocks in the order of the rows; returns the range that was really read. Where the edges of ranges do not
   * meet, or a range is refused, the whole source is read again.
   */
  read(
    reading: SourceReading<S>,
    wanted: readonly WantedColumn[],
    sink: BlockSink,
  ): Promise<SourceRange>;
  /** Whether a value tells what its cell says; so it is where the source is text. */
  readonly tells?: boolean;
  /** The rows as text, where the source is text. */
  text?(files: Files, source: S): TextRows;
  /** The sums of all rows, computed where they are; undefined where they are to be read. */
  sums?(source: S, request: SumsRequest): Promise<Summary | undefined>;
  /** Whether only the thread that opened a source can read it. */
  readonly here?: boolean;
  /** Loads what reading needs, so that no network request follows later. */
  load?(): Promise<unknown>;
}

/** At most `pieces` ranges of about equal size, over a length in whole units. */
export function evenRanges(length: number, pieces: number): SourceRange[] {
  const count = Math.min(pieces, length);
  return Array.from({ length: count }, (_, k) => ({
    from: Math.floor((length * k) / count),
    to: Math.floor((length * (k + 1)) / count),
  }));
}

/** The state of a file: its path, its length, and when it was last written. */
export async function fileVersion({
  address,
  file,
}: Pick<Opening, 'address' | 'file'>): Promise<SourceVersion> {
  const { fullPath = address.path, size, modified = 0 } = await file();
  return { path: fullPath, bytes: size, modified };
}
