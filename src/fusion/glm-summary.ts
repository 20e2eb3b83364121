import type { Design } from '../features/design.ts';
import { completeRows, weightedRows } from '../statistic/complete-rows.ts';
import type { Summarizer, SummarizerOptions } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { missingCells } from '../statistic/missing-cells.ts';
import type { GlmFusion } from '../study/study.ts';
import { expansion } from './glm-expansion.ts';
import { families } from './glm-family.ts';
import { multiplierFor } from './glm-gram.ts';
import { boundedCoefficients, localOptimum } from './glm-optimum.ts';
import { localProblem } from './glm-point.ts';
import { jeffreysScore } from './glm-prior.ts';
import {
  type GlmRows,
  glmRows,
  type RowTerms,
  referenceCoefficients,
  rowParts,
} from './glm-rows.ts';

/**
 * Reduces a site's rows to the second-order expansion of its log-likelihood: about the coefficients the study gives,
 * block by block, or about the site's own optimum, for which the rows are kept until `finish`. The prior is used for
 * the optimum only and is not sent.
 */
export function glmSummarizer(
  design: Design,
  layout: LinearLayout,
  fusion: GlmFusion,
  options: SummarizerOptions,
): Summarizer<LinearLayout> {
  const family = families[fusion.family];
  const multiplier = multiplierFor(options);
  const weighted = layout.priorWeights === true;
  const names = weighted ? [...design.variables, options.weights ?? 'weights'] : design.variables;
  const missing = missingCells(names, options);
  const kept: GlmRows[] = [];
  const start =
    fusion.at === undefined ? options.weightedAt : referenceCoefficients(layout, fusion.at);
  const given = start === undefined ? undefined : expansion(layout, family, start, multiplier);
  let found: Float64Array | undefined;
  let rows = 0;
  let dropped = 0;

  const add: Summarizer['add'] = (block, rowOf) => {
    const complete = completeRows(block, missing.counter(rowOf));
    dropped += block.rows - complete.block.rows;
    const used = weighted ? weightedRows(complete) : complete;
    if (used.block.rows === 0) return;
    rows += used.block.rows;
    const indexOf = (r: number) => used.origin?.[r] ?? r;
    const origin = { file: options.file, rowOf: (r: number) => rowOf(indexOf(r)) };
    const watch = (columns: readonly Float64Array[], known: RowTerms) => {
      const parts = start && rowParts(layout, family, columns, known, start);
      const { weights, moments, scores } = parts ?? {};
      options.watchRows?.(used.block.rows, columns, indexOf, weights, moments, scores);
    };
    const evaluated = glmRows(design, layout, family, used.block, origin, watch);
    if (given === undefined) kept.push(evaluated);
    else given.add(evaluated);
  };

  const ownOptimum = () => {
    const problem = localProblem(layout, family, kept, multiplier);
    const optimum = localOptimum(problem, fusion.prior ?? 'firth');
    found = optimum.beta;
    const about = expansion(layout, family, found, multiplier);
    for (const block of kept) about.add(block);
    if (layout.remainder !== 'expected') return about.total();
    return about.total({
      directions: problem.kept.length,
      remainder: jeffreysScore(problem, optimum),
      bounded: boundedCoefficients(problem, optimum),
    });
  };

  const finish: Summarizer<LinearLayout>['finish'] = () => ({
    statistic: given?.total() ?? multiplier.kernels.scoped(ownOptimum),
    rows,
    dropped,
    missing: missing.counts,
    ...(found && { weightedAt: found }),
  });
  return { add, finish };
}
