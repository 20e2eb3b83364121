/** A feature map in a study: its kind and its settings. */
export interface FeatureTerms {
  readonly kind: string;
}

/** Texts about a feature map. */
export interface FeatureText<Terms extends FeatureTerms = FeatureTerms> {
  /** Its key in a report and the name of its command-line option; one word, not used as a key before. */
  readonly kind: Terms['kind'];
  /** Name of the map: `projection`. */
  readonly noun: string;
  /** What it does, as a verb: `project`. */
  readonly verb: string;
  /** Name of its columns: `random projections`. */
  readonly made: { readonly one: string; readonly many: string };
  /** Number of columns it makes from this many. */
  width(terms: Terms, columns: number): number;
  /** Its columns in a sentence, before "of the columns": `3 random projections`. */
  text(terms: Terms): string;
  /** The settings behind its columns, as short text: `seed 7`. */
  choices(terms: Terms): string;
  /** What information is lost, which biases the coefficients; absent if nothing is lost. */
  loss?(width: number): string;
  /** A note for the analyst before a study is made with it. */
  note?(terms: Terms, columns: number): string;
}
