/** Starts a progress display: the phase, and its total bytes. */
export type Watch = (phase: string, totalBytes: number) => Watched;

export interface Watched {
  /** Bytes and rows read so far. */
  update(bytes: number, rows: number): void;
  done(): void;
}
