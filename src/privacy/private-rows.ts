import { type LinearLayout, PRIVATE_GRID } from '../statistic/linear-layout.ts';

/** Grid steps in a unit. */
export const STEPS: number = 2 ** PRIVATE_GRID;

/** Rows with a smaller squared length count as 0: their squares have no correct digits. */
const VANISHING = 2 ** -900;

/**
 * Turns columns of z = (1, x…, y) into whole numbers of steps, in place. The predictors a, in public units and with the
 * constant if there is an intercept (else it becomes 0), are divided by their length. The response, or the residual b − a·w
 * in a gradient step, is divided by the same length and clipped at the layout's bound. All are truncated towards 0.
 *
 * No row has a length above 2¹⁶: the squared length is a whole number, and with fewer than 2²⁰ columns rounding adds less
 * than one to it. Every step rounds once and in a fixed order, so every platform gets the same integers. Returns the number
 * of clipped responses.
 */
export function privateRows(
  layout: LinearLayout,
  capacity: number,
): (rows: number, columns: readonly Float64Array[]) => number {
  const { references, intercept, privacy } = layout;
  if (privacy === undefined) throw new RangeError('the layout is not that of a private study');
  const { bound } = privacy;
  const start = privacy.kind === 'gradient' ? privacy.at : undefined;
  const first = intercept ? 0 : 1;
  const response = references.length - 1;
  const factors = new Float64Array(capacity);

  const measure = (rows: number, columns: readonly Float64Array[]): void => {
    factors.fill(0, 0, rows);
    for (let j = first; j < response; j++) {
      const values = columns[j];
      for (let r = 0; r < rows; r++) factors[r] += values[r] * values[r];
    }
    for (let r = 0; r < rows; r++) {
      factors[r] = factors[r] < VANISHING ? 0 : STEPS / Math.sqrt(factors[r]);
    }
  };

  const subtractFit = (rows: number, columns: readonly Float64Array[], at: readonly number[]) => {
    const residuals = columns[response];
    for (let j = first; j < response; j++) {
      const values = columns[j];
      const weight = at[j];
      for (let r = 0; r < rows; r++) residuals[r] -= values[r] * weight;
    }
  };

  return (rows, columns) => {
    references.forEach(({ center, scale }, j) => {
      const values = columns[j];
      if (j > 0) for (let r = 0; r < rows; r++) values[r] = (values[r] - center) / scale;
    });
    measure(rows, columns);
    if (start !== undefined) subtractFit(rows, columns, start);
    for (let j = first; j <= response; j++) {
      const values = columns[j];
      for (let r = 0; r < rows; r++) values[r] = Math.trunc(values[r] * factors[r]);
    }
    const responses = columns[response];
    let clipped = 0;
    for (let r = 0; r < rows; r++) {
      if (Math.abs(responses[r]) > bound) clipped++;
      responses[r] = Math.max(-bound, Math.min(bound, responses[r]));
    }
    if (!intercept) columns[0].fill(0, 0, rows);
    return clipped;
  };
}
