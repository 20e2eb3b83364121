/** Variance inflation by term, and Belsley's condition indices with their variance shares. */
export interface Collinearity {
  readonly about: 'collinearity';
  /** GVIF of Fox & Monette; with one column a term it is the VIF. `scaled` is GVIF^(1/(2 df)). */
  readonly terms: readonly {
    readonly term: string;
    readonly df: number;
    readonly gvif: number;
    readonly scaled: number;
  }[];
  /** From the design with columns of unit length, intercept included; largest index last. */
  readonly indices: readonly {
    readonly eigenvalue: number;
    readonly index: number;
    /** Share of each coefficient's variance that goes with this direction, by coefficient name. */
    readonly shares: Readonly<Record<string, number>>;
  }[];
}
