/** What looks wrong about a site's contribution, with the evidence. Nothing is dropped for it. */
export interface Sanity {
  readonly about: 'sanity';
  readonly flags: readonly {
    readonly site: string;
    /** What kind of doubt: impossible moments, rows, scale, location, sign, fit. */
    readonly kind: string;
    readonly column?: string;
    /** One sentence with the numbers. */
    readonly evidence: string;
    /** What to ask the site. */
    readonly advice: string;
  }[];
}
