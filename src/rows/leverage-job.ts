import { defined } from '../defined.ts';
import { baselinesOf } from '../disclosure/baselines.ts';
import type { ColumnFacts } from '../disclosure/column-facts.ts';
import { leverageCounter } from '../disclosure/leverage.ts';
import { joinScores, type ScoreShare, scoreCounter } from '../disclosure/score-share.ts';
import { weightedCounter } from '../disclosure/weighted-counter.ts';
import { joinWeighted, type WeightedFacts } from '../disclosure/weighted-facts.ts';
import { agreement, codebookIn, reduction, regressionOf } from '../federate.ts';
import type { Grams } from '../statistic/cross-product.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Block } from '../table/columns.ts';
import type { Host } from './host.ts';
import { originalColumns } from './original-facts.ts';
import { arrangement, columnsToRead, type RowSource, readTable } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';

/** A second pass over a site's rows: the largest leverage of one row, and how rows count that do not count alike. */
export interface LeverageJob extends RowSource {
  readonly kind: 'leverage';
  readonly site: string;
  /** The statistic of all rows. */
  readonly values: LinearStatistic['values'];
  /** Facts of the first pass about the formula's own columns. */
  readonly facts: readonly ColumnFacts[];
  /** The coefficients at which the rows got their weights, if the first pass has found them. */
  readonly weightedAt?: Float64Array;
}

export interface LeverageResult {
  readonly largest: number;
  /** With the responses, where the statistic has their products. */
  readonly whole?: number;
  /** In a logistic or Poisson regression: how the rows share what the sums say of the response. */
  readonly score?: ScoreShare;
  /** If rows do not count alike. */
  readonly weighted?: WeightedFacts;
  /** If the statistic has the squares of the rows' scores: how these are shared. */
  readonly squaredScores?: WeightedFacts;
  readonly edges?: SourceRange;
}

/** Adds nothing: the sums are those of the first pass. */
const noSums: Grams = {
  exactGram: () => ({ add() {}, total: () => new Uint32Array(0) }),
  floatGram: () => ({ add() {}, total: () => new Float64Array(0) }),
};

export async function measureLeverage(
  job: LeverageJob,
  host: Host,
  progress: JobProgress,
): Promise<LeverageResult> {
  const agreed = agreement(job.study);
  const columns = columnsToRead(agreed);
  const arrange = arrangement(agreed, columns);
  const regression = regressionOf(agreed);
  const statistic = { layout: regression.layout, values: job.values };
  const leverages = leverageCounter(statistic);
  const original = originalColumns(regression);
  const { layout, terms } = original ?? { ...regression, terms: regression.design.terms };
  const counter = () => weightedCounter(statistic, job.facts, baselinesOf(layout, terms));
  const weighted = regression.layout.weightScale === null ? undefined : counter();
  const squares = regression.layout.scores === true ? counter() : undefined;
  const score = regression.layout.family === undefined ? undefined : scoreCounter(statistic);
  let block: Block = { rows: 0, columns: [] };
  const secondPass = reduction(agreed, {
    file: job.source.name,
    missing: 'drop',
    grams: noSums,
    watchRows(rows, seen, indexOf, own, moments, scores) {
      leverages.add(rows, seen, indexOf, own);
      if (own !== undefined && moments !== undefined) score?.add(rows, seen, own, moments);
      if (own === undefined) return;
      const formulas = original?.evaluate(block, rows, indexOf);
      weighted?.add(rows, seen, own, formulas);
      if (scores === undefined) return;
      squares?.add(
        rows,
        seen,
        scores.map((s) => s * s),
        formulas,
      );
    },
    ...defined({ weightedAt: job.weightedAt }),
  });
  const edges = await readTable(
    host,
    job,
    codebookIn(agreed),
    columns,
    (read, firstRow) => {
      block = arrange(read, job.site);
      secondPass.add(block, (r) => firstRow + r);
    },
    progress,
  );
  return {
    ...leverages.finish(),
    ...(score && { score: score.finish() }),
    ...(weighted && { weighted: weighted.finish() }),
    ...(squares && { squaredScores: withoutShares(squares.finish()) }),
    edges,
  };
}

/** Shares in the squares of columns are those of the information, and not asked of scores. */
function withoutShares(facts: WeightedFacts): WeightedFacts {
  return { ...facts, shares: new Float64Array(facts.shares.length) };
}

/** The result over all ranges of a source. */
export function joinLeverages(parts: readonly LeverageResult[]): LeverageResult {
  const weighted = parts.flatMap((part) => part.weighted ?? []);
  const whole = parts.flatMap((part) => part.whole ?? []);
  const scores = parts.flatMap((part) => part.score ?? []);
  const squares = parts.flatMap((part) => part.squaredScores ?? []);
  return {
    largest: Math.max(...parts.map(({ largest }) => largest)),
    ...(whole.length === 0 ? {} : { whole: Math.max(...whole) }),
    ...(scores.length === 0 ? {} : { score: joinScores(scores) }),
    ...(weighted.length === 0 ? {} : { weighted: joinWeighted(weighted) }),
    ...(squares.length === 0 ? {} : { squaredScores: joinWeighted(squares) }),
  };
}
