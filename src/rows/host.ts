import type { Grams } from '../statistic/cross-product.ts';
import type { Files } from './files.ts';
import type { SourceReader } from './source.ts';

/** What reading needs from the platform. */
export interface Host extends Files {
  /** Readers of sources that only this platform has; they are tried before the common ones. */
  readonly sources?: readonly SourceReader[];
  /** A multiplier faster than the embedded kernels for this number of columns, if there is one. */
  grams?(columns: number): Promise<Grams | undefined>;
}
