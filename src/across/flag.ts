/** One doubt about one site. */
export interface Flag {
  readonly site: string;
  /** What kind of doubt: impossible moments, rows, scale, location, constant, sign, fit. */
  readonly kind: 'impossible' | 'rows' | 'scale' | 'location' | 'constant' | 'sign' | 'fit';
  readonly column?: string;
  /** One sentence with the numbers. */
  readonly evidence: string;
  /** What to ask the site. */
  readonly advice: string;
}
