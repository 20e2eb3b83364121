import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { ddArray, ddDot, ddMatrix } from '../numeric/dd-matrix.ts';
import { chiSquareTail, chiSquareTailLog, fTail, fTailLog } from '../numeric/distributions.ts';

/** A pivot of a correlation matrix below this is what float64 entries leave of zero. */
const SINGULAR = 1e-13;

/** dᵀ V⁻¹ d for a row-major covariance V of d's length; undefined where V is singular. */
export function waldSquare(
  difference: ArrayLike<number>,
  covariance: Float64Array,
): number | undefined {
  const width = difference.length;
  const scales = Array.from({ length: width }, (_, i) => Math.sqrt(covariance[i * width + i]));
  if (!scales.every((scale) => scale > 0 && Number.isFinite(scale))) return undefined;
  const correlations = ddMatrix(width);
  const scaled = ddArray(width);
  for (let i = 0; i < width; i++) {
    scaled.hi[i] = difference[i] / scales[i];
    for (let j = 0; j < width; j++) {
      correlations.hi[i * width + j] =
        i === j ? 1 : covariance[i * width + j] / (scales[i] * scales[j]);
    }
  }
  const factor = ddCholesky(correlations, width, ({ pivot }) => pivot.hi < SINGULAR);
  if (factor.aliased.length > 0) return undefined;
  const white = factor.forward(scaled);
  return ddDot(white, 0, white, 0, width).hi;
}

/** A Wald test of several coefficients at once: F with the errors' degrees of freedom, or χ². */
export interface WaldTest {
  readonly df: number;
  /** W/df for F, W for χ². */
  readonly statistic: number;
  readonly 'p.value': number;
}

/** The test of W = dᵀV⁻¹d against F(df, freedom), or against χ²(df) where freedom is infinite. */
export function waldTest(square: number, df: number, freedom: number): WaldTest {
  return freedom === Number.POSITIVE_INFINITY
    ? { df, statistic: square, 'p.value': chiSquareTail(square, df) }
    : { df, statistic: square / df, 'p.value': fTail(square / df, df, freedom) };
}

/** ln of a joint test's p-value: of F, or of χ² where freedom is infinite. */
export function jointTailLog(statistic: number, df: number, freedom: number): number {
  return freedom === Number.POSITIVE_INFINITY
    ? chiSquareTailLog(statistic, df)
    : fTailLog(statistic, df, freedom);
}
