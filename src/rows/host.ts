import type { PinnedFile } from '../features/pinned-file.ts';
import type { Grams } from '../statistic/cross-product.ts';
import type { Files } from './files.ts';
import type { SourceReader } from './source.ts';

/** What reading needs from the platform. */
export interface Host extends Files {
  /** Readers of sources that only this platform has; they are tried before the common ones. */
  readonly sources?: readonly SourceReader[];
  /** A multiplier faster than the embedded kernels for a Gram of this size, if there is one. */
  grams?(size: GramSize): Promise<Grams | undefined>;
  /** The bytes of a public file that a study names, unchecked; throws DataError where the platform has no such file. */
  pinned?(file: PinnedFile): Promise<Uint8Array>;
}

/** How much work a Gram is. */
export interface GramSize {
  readonly columns: number;
  /** The length of the source. */
  readonly bytes: number;
}
