import { cholesky } from '../numeric/cholesky.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { type DdArray, type DdMatrix, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddMultiply, ddScale, ddSubtract } from '../numeric/double-double.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { type NormalEquations, normalEquationsOf } from '../solve/normal-equations.ts';
import { withPenalty } from '../solve/penalty.ts';
import { isRounding } from '../solve/rounding.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { aliases } from './aliases.ts';

/** A model and the matrix it solves, in units of the references. */
export interface WholeModel {
  readonly sums: DdMatrix;
  /** With an intercept where the model has one for all sites. */
  readonly layout: LinearLayout;
  readonly rows: number;
  /** Predictors of the model. */
  readonly kept: readonly number[];
  /** Over all predictors. */
  readonly penalty: Float64Array;
}

/** Columns up to which everything is in double-double; above, float64 is tried first. */
const DOUBLE_DOUBLE_WIDTH = 60;
/** Inflation of a variance up to which float64 is trusted. */
const FLOAT_INFLATION = 1e8;

/**
 * b − b without a group of rows, in units of the references over (constant, kept): (M − C + P)Δ = Cv for the group's
 * matrix C and the residual form v of the model, an identity (mathematics §7). Null where the rest cannot estimate the
 * term.
 */
export function leftOut(
  { sums, layout, rows, kept, penalty }: WholeModel,
  group: DdMatrix,
  groupRows: number,
  form: DdArray,
): (number | null)[] {
  const rest: DdMatrix = {
    width: sums.width,
    ...ddArray(sums.hi.length),
  };
  for (let at = 0; at < sums.hi.length; at++) {
    ddSet(rest, at, ddSubtract(ddAt(sums, at), ddAt(group, at)));
  }
  const counts = { rows: rows - groupRows, logWeightSum: 0 };
  const equations = normalEquationsOf(rest, layout, counts);
  const { equilibration, means } = equations;
  const score = (column: number) => ddDot(group, column * group.width, form, 0, group.width);
  const constant = layout.intercept ? score(0) : dd(0);
  const moment = (column: number) =>
    ddScale(
      ddSubtract(score(column + 1), ddMultiply(ddAt(means, column), constant)),
      equilibration[column],
    );
  const solved = solve(
    equations,
    kept,
    penalty.map((p, j) => p * equilibration[j] ** 2),
    moment,
  );
  const slopes = kept.map((column, k) => solved.slopes[k] * equilibration[column]);
  const level = kept.reduce(
    (sum, column, k) => sum - slopes[k] * means.hi[column],
    constant.hi / rest.hi[0],
  );
  const known = slopes.map((slope, k) => (solved.lost.has(kept[k]) ? null : slope));
  return layout.intercept ? [solved.lost.has(-1) ? null : level, ...known] : known;
}

interface Solved {
  /** Over the model's predictors; 0 where a column was dropped. */
  readonly slopes: readonly number[];
  /** Predictors that the rest cannot estimate; −1 is the constant. */
  readonly lost: ReadonlySet<number>;
}

type Moment = (column: number) => { readonly hi: number; readonly lo: number };

function solve(
  equations: NormalEquations,
  kept: readonly number[],
  penalty: Float64Array,
  moment: Moment,
): Solved {
  if (kept.length > DOUBLE_DOUBLE_WIDTH) {
    const slopes = solveInFloat(equations, kept, penalty, moment);
    if (slopes !== undefined) return { slopes, lost: new Set() };
  }
  const wanted = new Set(kept);
  const penalised = kept.every((column) => penalty[column] > 0);
  const nothing = isRounding(equations);
  const factor = ddCholesky(
    withPenalty(equations.matrix, penalty),
    equations.predictors,
    (rest) => !wanted.has(rest.column) || (!penalised && nothing(rest)),
  );
  const b = ddArray(factor.kept.length);
  factor.kept.forEach((column, k) => {
    ddSet(b, k, moment(column));
  });
  const found = factor.solve(b).hi;
  const places = new Map(factor.kept.map((column, k) => [column, k]));
  const slopes = kept.map((column) => found[places.get(column) ?? -1] ?? 0);
  const dropped = kept.filter((column) => !places.has(column));
  if (dropped.length === 0) return { slopes, lost: new Set() };
  const ranked = { kept: factor.kept, aliased: dropped, factored: { inverse: factor.inverse() } };
  const lost = new Set(dropped);
  for (const { coefficients, constant } of aliases(equations, ranked)) {
    if (constant !== 0) lost.add(-1);
    coefficients.forEach((c, k) => {
      if (c !== 0) lost.add(factor.kept[k]);
    });
  }
  return { slopes, lost };
}

function solveInFloat(
  { matrix }: NormalEquations,
  kept: readonly number[],
  penalty: Float64Array,
  moment: Moment,
): number[] | undefined {
  const rank = kept.length;
  const square = new Float64Array(rank * rank);
  kept.forEach((i, a) => {
    kept.forEach((j, b) => {
      square[a * rank + b] = matrix.hi[i * matrix.width + j] + (a === b ? penalty[i] : 0);
    });
  });
  const outcome = cholesky(reproducibleKernels(), square, rank);
  if ('indefiniteAt' in outcome) return undefined;
  const inverse = outcome.factor.inverse();
  const inflated = kept.some((_, a) => {
    const at = a * (rank + 1);
    return !(square[at] * inverse[at] < FLOAT_INFLATION);
  });
  if (inflated) return undefined;
  return [...outcome.factor.solve(Float64Array.from(kept, (column) => moment(column).hi))];
}
