import type { Grams } from '../statistic/cross-product.ts';
import type { Files } from './files.ts';
import type { SourceReader } from './source.ts';

/** What reading needs of where it runs. */
export interface Host extends Files {
  /** Readers of sources that only this platform has, asked before those that every platform has. */
  readonly sources?: readonly SourceReader[];
  /** A faster multiplier than the embedded kernels for statistics of so many columns, if there is one. */
  grams?(columns: number): Promise<Grams | undefined>;
}
