import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddMultiply,
  ddNegate,
  ddSqrt,
  ddSubtract,
} from '../numeric/double-double.ts';
import type { PolynomialPiece } from '../study/formula-expression.ts';

/** Knots of a spline, ascending: the inner ones, and the boundaries around them. */
export interface SplineKnots {
  readonly inner: readonly number[];
  readonly boundary: readonly [number, number];
}

/** A basis function: its polynomial in x − from, lowest power first, on every span between two different knots. */
type SpanPolynomials = readonly (readonly DoubleDouble[])[];

interface Span {
  readonly from: number;
  readonly to: number;
}

const zero = dd(0);

/**
 * The columns of R's bs(): B-splines of a degree over the knots (de Boor 1978, ch. IX). Beyond the boundaries the outer
 * polynomials go on. The first column is left out unless the basis keeps the `constant`.
 */
export function bSplineBasis(
  knots: SplineKnots,
  degree: number,
  constant: 'kept' | 'left out',
): readonly (readonly PolynomialPiece[])[] {
  const { spans, functions } = bSplines(knots, degree);
  return functions.slice(constant === 'kept' ? 0 : 1).map((polynomials) =>
    spans.map(({ from, to }, k) => ({
      ...(k < spans.length - 1 ? { below: to } : {}),
      origin: from,
      coefficients: polynomials[k]!.map(({ hi }) => hi),
    })),
  );
}

/**
 * The columns of R's ns(): cubic splines whose second derivative is 0 at the boundaries, and which are straight beyond
 * them. R takes them from the B-splines by the reflections of a QR decomposition (LINPACK's dqrdc2); so does this.
 */
export function naturalSplineBasis(
  knots: SplineKnots,
  constant: 'kept' | 'left out',
): readonly (readonly PolynomialPiece[])[] {
  const { spans, functions } = bSplines(knots, 3);
  const kept = functions.slice(constant === 'kept' ? 0 : 1);
  const last = spans.length - 1;
  const width = ddSubtract(dd(spans[last]!.to), dd(spans[last]!.from));
  // Only three functions bend at a boundary. The others must be 0 to the last bit: the sign of a column depends on it.
  const dropped = functions.length - kept.length;
  const curvatures = [
    kept.map((own, j) => (j + dropped < 3 ? derivative(own[0]!, zero, 2) : zero)),
    kept.map((own, j) => (j >= kept.length - 3 ? derivative(own[last]!, width, 2) : zero)),
  ];
  return rotated(curvatures, kept.length).map((weights) => {
    const combined = spans.map((_, k) => combination(weights, kept, k));
    const ends = [0, 1].map((order) => derivative(combined[last]!, width, order));
    const [left, right] = knots.boundary;
    return [
      { below: left, origin: left, coefficients: rounded(combined[0]!.slice(0, 2)) },
      ...spans.map(({ from, to }, k) => ({
        below: to,
        origin: from,
        coefficients: rounded(combined[k]!),
      })),
      { origin: right, coefficients: rounded(ends) },
    ];
  });
}

function rounded(values: readonly DoubleDouble[]): readonly number[] {
  return values.map(({ hi }) => hi);
}

function bSplines(
  { inner, boundary: [left, right] }: SplineKnots,
  degree: number,
): { readonly spans: readonly Span[]; readonly functions: readonly SpanPolynomials[] } {
  const ends = Array.from({ length: degree + 1 }, (_, k) => k);
  const knots = [...ends.map(() => left), ...inner, ...ends.map(() => right)];
  const count = knots.length - degree - 1;
  const starts = [...knots.keys()].filter((k) => k + 1 < knots.length && knots[k]! < knots[k + 1]!);
  const spans = starts.map((k) => ({ from: knots[k]!, to: knots[k + 1]! }));
  const bySpan = starts.map((start) => onSpan(knots, start, degree));
  const none = ends.map(() => zero);
  return {
    spans,
    functions: Array.from({ length: count }, (_, j) => bySpan.map((own) => own.get(j) ?? none)),
  };
}

/** The B-splines that are not 0 between knots[start] and the next one, by their number. */
function onSpan(
  knots: readonly number[],
  start: number,
  degree: number,
): ReadonlyMap<number, readonly DoubleDouble[]> {
  const origin = dd(knots[start]!);
  let splines = new Map<number, readonly DoubleDouble[]>([[start, [dd(1)]]]);
  for (let k = 1; k <= degree; k++) {
    const next = new Map<number, readonly DoubleDouble[]>();
    for (let j = start - k; j <= start; j++) {
      const parts = [
        linearTimes(splines.get(j), knots[j]!, knots[j + k]!, origin),
        linearTimes(splines.get(j + 1), knots[j + k + 1]!, knots[j + 1]!, origin),
      ];
      next.set(
        j,
        Array.from({ length: k + 1 }, (_, power) =>
          ddAdd(parts[0]![power] ?? zero, parts[1]![power] ?? zero),
        ),
      );
    }
    splines = next;
  }
  return splines;
}

/** A polynomial in t = x − origin, times (x − at)/(to − at); nothing where both knots are one. */
function linearTimes(
  polynomial: readonly DoubleDouble[] | undefined,
  at: number,
  to: number,
  origin: DoubleDouble,
): readonly DoubleDouble[] {
  if (polynomial === undefined || at === to) return [];
  const width = ddSubtract(dd(to), dd(at));
  const constant = ddDivide(ddSubtract(origin, dd(at)), width);
  const slope = ddDivide(dd(1), width);
  return Array.from({ length: polynomial.length + 1 }, (_, power) =>
    ddAdd(
      ddMultiply(polynomial[power] ?? zero, constant),
      ddMultiply(polynomial[power - 1] ?? zero, slope),
    ),
  );
}

/** A derivative of a polynomial at t. */
function derivative(
  polynomial: readonly DoubleDouble[],
  t: DoubleDouble,
  order: number,
): DoubleDouble {
  const factor = (power: number): number =>
    Array.from({ length: order }, (_, k) => power - k).reduce((a, b) => a * b, 1);
  return polynomial
    .map((coefficient, power) => ddMultiply(coefficient, dd(factor(power))))
    .slice(order)
    .reduceRight((sum, coefficient) => ddAdd(ddMultiply(sum, t), coefficient), zero);
}

function combination(
  weights: readonly DoubleDouble[],
  functions: readonly SpanPolynomials[],
  span: number,
): readonly DoubleDouble[] {
  return functions[0]![span]!.map((_, power) =>
    functions.reduce(
      (sum, polynomials, j) => ddAdd(sum, ddMultiply(weights[j]!, polynomials[span]![power]!)),
      zero,
    ),
  );
}

/** The rows of Qᵀ that are orthogonal to the constraints, with the signs of LINPACK's dqrdc2 and dqrsl. */
function rotated(
  constraints: readonly (readonly DoubleDouble[])[],
  size: number,
): readonly (readonly DoubleDouble[])[] {
  const matrix = constraints.map((column) => [...column]);
  const reflections = matrix.map((column, l) => {
    const norm = signedNorm(column, l);
    const reflection = column.map((value, i) => (i < l ? zero : ddDivide(value, norm)));
    reflection[l] = ddAdd(reflection[l]!, dd(1));
    matrix.slice(l + 1).forEach((other) => {
      reflect(other, reflection, l);
    });
    return reflection;
  });
  const columns = Array.from({ length: size }, (_, j) => {
    const unit = Array.from({ length: size }, (_, i) => dd(i === j ? 1 : 0));
    reflections.forEach((reflection, l) => {
      reflect(unit, reflection, l);
    });
    return unit;
  });
  return Array.from({ length: size - constraints.length }, (_, m) =>
    columns.map((column) => column[constraints.length + m]!),
  );
}

function signedNorm(column: readonly DoubleDouble[], from: number): DoubleDouble {
  const norm = ddSqrt(dot(column, column, from));
  return column[from]!.hi < 0 ? ddNegate(norm) : norm;
}

function reflect(vector: DoubleDouble[], reflection: readonly DoubleDouble[], from: number): void {
  const t = ddNegate(ddDivide(dot(reflection, vector, from), reflection[from]!));
  for (let i = from; i < vector.length; i++) {
    vector[i] = ddAdd(vector[i]!, ddMultiply(t, reflection[i]!));
  }
}

function dot(a: readonly DoubleDouble[], b: readonly DoubleDouble[], from: number): DoubleDouble {
  let sum = zero;
  for (let i = from; i < a.length; i++) sum = ddAdd(sum, ddMultiply(a[i]!, b[i]!));
  return sum;
}
