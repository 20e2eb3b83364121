/** Watches a reading: what is being done, over how many bytes. */
export type Watch = (phase: string, totalBytes: number) => Watched;

export interface Watched {
  /** Bytes and rows read so far. */
  update(bytes: number, rows: number): void;
  done(): void;
}
