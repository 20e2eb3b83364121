import { unpacked } from '../numeric/gram.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { factorKept, independentColumns, type KeptFactor } from './glm-factor.ts';
import type { Family } from './glm-family.ts';
import { floatInformation, heaviestRow, type Multiplier } from './glm-gram.ts';
import { type GlmRows, informationWeights, linearPredictor } from './glm-rows.ts';

/** A site's rows and the regression to fit to them. */
export interface LocalProblem {
  readonly layout: LinearLayout;
  readonly family: Family;
  readonly blocks: readonly GlmRows[];
  readonly multiplier: Multiplier;
  /** Columns of the site's design that are not combinations of those before them. */
  readonly kept: readonly number[];
}

/** The rows at one β, in units of the references. */
export interface Point {
  readonly beta: Float64Array;
  readonly etas: readonly Float64Array[];
  /** The log-likelihood without the part that depends on the responses alone. */
  readonly logKernel: number;
  /** H = Σ w Var(y) u uᵀ. */
  readonly information: Float64Array;
  readonly factor: KeptFactor;
}

export function localProblem(
  layout: LinearLayout,
  family: Family,
  blocks: readonly GlmRows[],
  multiplier: Multiplier,
): LocalProblem {
  const width = layout.columns.length - 1;
  const candidates = Array.from({ length: width }, (_, j) => j).slice(layout.intercept ? 0 : 1);
  const all = { layout, family, blocks, multiplier, kept: candidates };
  const gram = weighted(all, (block) => new Float64Array(block.rows).fill(1));
  return { ...all, kept: independentColumns(gram, width, candidates) };
}

/** The point; undefined where the likelihood is not finite, or expected counts are far beyond the response's range. */
export function pointAt(problem: LocalProblem, beta: Float64Array): Point | undefined {
  const { family, blocks, kept } = problem;
  const etas = blocks.map((block) => linearPredictor(block, beta));
  let logKernel = 0;
  blocks.forEach(({ rows, response, weights }, k) => {
    for (let r = 0; r < rows; r++) {
      logKernel += family.logKernel(response[r], etas[k][r]) * (weights?.[r] ?? 1);
    }
  });
  if (!Number.isFinite(logKernel)) return undefined;
  const weights = etas.map((eta, k) => informationWeights(family, blocks[k], eta));
  const most = heaviestRow(problem.layout);
  if (weights.some((own) => own.some((weight) => weight > most))) return undefined;
  const information = weighted(problem, (_, k) => weights[k]);
  return { beta, etas, logKernel, information, factor: factorKept(information, beta.length, kept) };
}

/** Σ w u uᵀ over the site's rows. */
export function weighted(
  { layout, blocks, multiplier }: LocalProblem,
  weights: (block: GlmRows, k: number) => Float64Array,
): Float64Array {
  const square = (layout.weightScale ?? 1) ** 2;
  return multiplier.kernels.scoped(() => {
    const gram = floatInformation(multiplier, layout);
    blocks.forEach((block, k) => {
      gram.add(block, weights(block, k));
    });
    return unpacked(gram.total(), layout.columns.length - 1).map((sum) => sum * square);
  });
}

/** Σ e u over the site's rows. */
export function score(
  { layout, blocks }: LocalProblem,
  residuals: readonly Float64Array[],
): Float64Array {
  return Float64Array.from({ length: layout.columns.length - 1 }, (_, j) => {
    let sum = 0;
    blocks.forEach(({ rows, columns }, k) => {
      for (let r = 0; r < rows; r++) sum += residuals[k][r] * columns[j][r];
    });
    return sum;
  });
}
