import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { type DoubleDouble, dd } from '../numeric/double-double.ts';
import type { NormalEquations } from './normal-equations.ts';

/** yᵀy − 2βᵀXᵀy + βᵀXᵀXβ, which holds for any β. */
export function quadraticResidual(
  equations: NormalEquations,
  kept: readonly number[],
  beta: DdArray,
  r: number,
): DoubleDouble {
  const { matrix, predictors } = equations;
  const width = matrix.width;
  const full = ddArray(width);
  kept.forEach((column, k) => {
    ddSet(full, column, ddAt(beta, k));
  });
  ddSet(full, predictors + r, dd(-1));
  const image = ddArray(width);
  for (const i of [...kept, predictors + r])
    ddSet(image, i, ddDot(matrix, i * width, full, 0, width));
  return atLeastNothing(
    ddDot(full, 0, image, 0, width),
    ddAt(matrix, (predictors + r) * (width + 1)),
  );
}

/** Double-double holds about 2⁻¹⁰⁰ of the whole; a remainder below that is none. */
export function atLeastNothing(rest: DoubleDouble, whole: DoubleDouble): DoubleDouble {
  return rest.hi > 2 ** -98 * whole.hi ? rest : dd(0);
}
