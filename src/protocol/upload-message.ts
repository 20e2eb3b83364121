/** How much of a large file has arrived. */
export interface Upload {
  readonly schema: 'suffice/upload@1';
  /** Blocks that are stored; the next one has this number. */
  readonly blocks: number;
  /** Bytes of every block but the last. */
  readonly blockBytes: number;
}
