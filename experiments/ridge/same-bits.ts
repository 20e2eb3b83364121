import { type OwnClaim, type PaperStatement, paperStatement } from '../paper-result.ts';

/** Counts the cells in which one-shot fusion and the oracle are the same to the last bit. */
export interface SameBits {
  /** Whether both the weights and the test MSE are the same. */
  compare(one: Fitted, other: Fitted): boolean;
  conclusion(): OwnClaim;
  /** The verdict on a theorem that they are the same. */
  theorem(statement: Pick<PaperStatement, 'matter' | 'where' | 'claim'>): PaperStatement;
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
    theorem: (statement) => {
      const because = `the same to the last bit in ${same} of ${cells} cells`;
      const readings = [{ as: 'every weight and the test MSE', holds: holds(), because }];
      return paperStatement({
        ...statement,
        readings,
        because: 'Compared as float64, in every trial.',
      });
    },
  };
}
