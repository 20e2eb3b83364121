/** Polynomial trends over the levels of an ordered category (R's contr.poly on its level effects). */
export interface Trend {
  readonly about: 'trend';
  readonly term: string;
  readonly rows: readonly {
    /** `.L`, `.Q`, `.C`, `^4`, … */
    readonly degree: string;
    readonly estimate: number;
    readonly 'std.error': number;
    readonly statistic: number;
    readonly 'p.value': number;
  }[];
}
