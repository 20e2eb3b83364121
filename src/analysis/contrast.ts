/** Linear combinations of coefficients, each tested alone and, where there are several, together. */
export interface Contrast {
  readonly about: 'contrast';
  readonly rows: readonly {
    /** As it was asked, such as `speciesChinstrap - speciesGentoo = 0`. */
    readonly contrast: string;
    readonly estimate: number;
    /** What the estimate is tested against. */
    readonly against: number;
    readonly 'std.error': number;
    readonly statistic: number;
    readonly 'p.value': number;
    readonly 'conf.low': number;
    readonly 'conf.high': number;
  }[];
  /** F test of all rows at once. */
  readonly joint?: {
    readonly df: number;
    readonly 'df.residual': number;
    readonly statistic: number;
    readonly 'p.value': number;
  };
}
