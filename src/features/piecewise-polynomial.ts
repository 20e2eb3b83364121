import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddMultiply,
  ddPower,
  ddSubtract,
} from '../numeric/double-double.ts';
import type { PolynomialPiece } from '../study/formula-expression.ts';
import type { ArithmeticWriter } from './arithmetic-writer.ts';
import type { Evaluator } from './evaluator.ts';
import { hull, type Interval, shiftedInterval } from './interval.ts';

/** The value in a row; which piece is for it is decided by the argument as a double, as in R. */
export function piecewiseEvaluator(
  argument: Evaluator,
  pieces: readonly PolynomialPiece[],
): Evaluator {
  return (cursor) => {
    const x = argument(cursor);
    const piece = pieces.find(({ below }) => below === undefined || x.hi < below)!;
    return polynomialAt(piece, x);
  };
}

export function polynomialAt(
  { origin, coefficients }: PolynomialPiece,
  x: DoubleDouble,
): DoubleDouble {
  const t = ddSubtract(x, dd(origin));
  return coefficients
    .map((coefficient) => dd(coefficient))
    .reduceRight((sum, coefficient) => ddAdd(ddMultiply(sum, t), coefficient));
}

/** All values over an interval of the argument: every piece lies between its coefficients in Bernstein's form. */
export function piecewiseInterval(x: Interval, pieces: readonly PolynomialPiece[]): Interval {
  let from = Number.NEGATIVE_INFINITY;
  const found: Interval[] = [];
  for (const piece of pieces) {
    const to = piece.below ?? Number.POSITIVE_INFINITY;
    const [low, high] = [Math.max(x.low, from), Math.min(x.high, to)];
    if (low <= high) found.push(bernsteinHull(piece, low, high));
    from = to;
  }
  return found.reduce(hull);
}

function bernsteinHull({ origin, coefficients }: PolynomialPiece, low: number, high: number) {
  const degree = coefficients.length - 1;
  const [start, width] = [low - origin, high - low];
  // Σ c (start + width·u)ᵏ as Σ a uʲ, u from 0 to 1.
  const shifted = coefficients.map((_, j) =>
    coefficients.reduce(
      (sum, c, k) => (k < j ? sum : sum + c * choose(k, j) * power(start, k - j) * power(width, j)),
      0,
    ),
  );
  const points = shifted.map((_, j) =>
    shifted.slice(0, j + 1).reduce((sum, a, i) => sum + (a * choose(j, i)) / choose(degree, i), 0),
  );
  const size = Math.max(...shifted.map(Math.abs));
  const slack = size * 1e-12;
  return shiftedInterval(
    { low: Math.min(...points) - slack, high: Math.max(...points) + slack },
    0,
  );
}

/** By multiplication: the engine's own power may differ in the last bit. */
function power(base: number, exponent: number): number {
  return ddPower(dd(base), exponent).hi;
}

function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

/** The same in another language: a choice between polynomials. */
export function writePiecewise<T>(
  writer: ArithmeticWriter<T>,
  x: T,
  pieces: readonly PolynomialPiece[],
): T {
  const polynomial = ({ origin, coefficients }: PolynomialPiece): T => {
    const t = origin === 0 ? x : writer.operate('-', x, writer.number(origin));
    return coefficients
      .map((coefficient) => writer.number(coefficient))
      .reduceRight((sum, coefficient) =>
        writer.operate('+', writer.operate('*', sum, t), coefficient),
      );
  };
  const last = polynomial(pieces.at(-1)!);
  return pieces.slice(0, -1).reduceRight((rest, piece) => {
    const test = writer.compare('<', x, writer.number(piece.below!));
    return writer.choose(test, polynomial(piece), rest);
  }, last);
}
