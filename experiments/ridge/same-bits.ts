import type { Conclusion } from '../paper-result.ts';

/** Counts the cells in which one-shot fusion and the oracle are the same to the last bit. */
export interface SameBits {
  /** Whether both the weights and the test MSE are the same. */
  compare(one: Fitted, other: Fitted): boolean;
  conclusion(): Conclusion;
  /** The conclusion about the theorem that they are the same. */
  theorem(where: string, claim: string): Conclusion;
}

export interface Fitted {
  readonly weights: Float64Array;
  readonly mse: number;
}

export function sameBits(other = 'the centralised oracle'): SameBits {
  let [cells, same] = [0, 0];
  const holds = () => cells > 0 && same === cells;
  return {
    compare(one, two) {
      const equal =
        Object.is(one.mse, two.mse) &&
        one.weights.length === two.weights.length &&
        one.weights.every((weight, i) => Object.is(weight, two.weights[i]));
      cells++;
      if (equal) same++;
      return equal;
    },
    conclusion: () => ({
      of: 'ours',
      claim: `One-Shot equals ${other} to the last bit in ${same} of ${cells} cells`,
      holds: holds(),
      because: 'every weight and the test MSE were compared as float64, in every trial',
    }),
    theorem: (where, claim) => ({
      of: 'paper',
      where,
      claim,
      holds: holds(),
      because: `the same to the last bit in ${same} of ${cells} cells`,
    }),
  };
}
