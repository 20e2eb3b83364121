/** Rows to learn from, kept in memory at the site: inputs in the network's scale, and what it should say. */
export interface Examples {
  readonly rows: number;
  /** Writes the inputs of a row: channel by channel, row by row. */
  fill(target: Float32Array, at: number, row: number): void;
  readonly answers: Answers;
}

/** The class of every row, or its responses one row after the other. */
export type Answers =
  | { readonly kind: 'classes'; readonly classes: Uint16Array | Uint8Array }
  | { readonly kind: 'numbers'; readonly numbers: Float32Array };

/** What a network is trained for: softmax with cross-entropy, or half the squared error. */
export type Loss = Answers['kind'];
