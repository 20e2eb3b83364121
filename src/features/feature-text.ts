/** What a study says of a feature map: its kind, and the choices that go with it. */
export interface FeatureTerms {
  readonly kind: string;
}

/** What people are told of a feature map. */
export interface FeatureText<Terms extends FeatureTerms = FeatureTerms> {
  /** One word that no report has as a key yet: a report tells the terms under it, and an option is called by it. */
  readonly kind: Terms['kind'];
  /** What the map is called: `projection`. */
  readonly noun: string;
  /** What it does: `project`. */
  readonly verb: string;
  /** What its columns are called: `random projections`. */
  readonly made: { readonly one: string; readonly many: string };
  /** Columns that it makes of so many. */
  width(terms: Terms, columns: number): number;
  /** Its columns in a sentence, before "of the columns": `3 random projections`. */
  text(terms: Terms): string;
  /** The choices that make its columns what they are, in a few words: `seed 7`. */
  choices(terms: Terms): string;
  /** What the columns lose by it, which biases their coefficients; absent where nothing is lost. */
  loss?(width: number): string;
  /** What to think of before a study is made with it. */
  note?(terms: Terms, columns: number): string;
}
