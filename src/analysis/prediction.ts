/** The model at one row: its mean and where a new observation would fall. */
export interface Prediction {
  readonly about: 'prediction';
  readonly at: Readonly<Record<string, number | string>>;
  readonly level: number;
  readonly fitted: number;
  readonly 'std.error': number;
  readonly 'conf.low': number;
  readonly 'conf.high': number;
  readonly 'pred.low': number;
  readonly 'pred.high': number;
  /** How far the row lies from the data, n⁻¹ being their middle; above 3 times the average is far. */
  readonly leverage: number;
}
