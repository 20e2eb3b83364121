/** Type III tests: what each term adds to all the others (broom's names; the last row is Residuals). */
export interface Anova {
  readonly about: 'anova';
  readonly rows: readonly {
    readonly term: string;
    readonly df: number;
    readonly sumsq: number;
    readonly meansq: number;
    readonly statistic?: number;
    readonly 'p.value'?: number;
  }[];
}
