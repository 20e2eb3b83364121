/** Whether the sites agree: Chow's F on all coefficients, Cochran's Q and I² on each. */
export interface Heterogeneity {
  readonly about: 'heterogeneity';
  readonly chow?: {
    readonly statistic: number;
    readonly df: number;
    readonly 'df.residual': number;
    readonly 'p.value': number;
  };
  readonly terms: readonly {
    readonly term: string;
    /** Inverse-variance mean of the sites' own estimates. */
    readonly estimate: number;
    readonly 'std.error': number;
    readonly Q: number;
    readonly df: number;
    readonly 'p.value': number;
    /** Share of the variation between sites that is not chance, in percent. */
    readonly I2: number;
    /** DerSimonian–Laird variance between sites. */
    readonly tau2: number;
    readonly sites: readonly {
      readonly site: string;
      readonly estimate: number;
      readonly 'std.error': number;
    }[];
  }[];
  /** Sites that could not be fitted by themselves, and why. */
  readonly without: readonly { readonly site: string; readonly reason: string }[];
}
