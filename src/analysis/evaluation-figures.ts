import { type EvaluationCounts, sum } from './evaluation-counts.ts';
import type { ManyClassCounts } from './many-class-counts.ts';

/** Rows by the bin of some probability, and how many of them it was right for. */
export interface ReliabilityBin {
  readonly low: number;
  readonly high: number;
  /** The middle of the bin. */
  readonly predicted: number;
  /** Share of its rows that are of the level, or that were predicted rightly. */
  readonly observed: number;
  readonly n: number;
}

/** The filled bins, from the number of hits and of misses in each. */
export function reliabilityOf(
  hits: readonly number[],
  misses: readonly number[],
): readonly ReliabilityBin[] {
  const bins = hits.length;
  return hits.flatMap((hit, bin) => {
    const n = hit + misses[bin];
    if (n === 0) return [];
    const [low, high] = [bin / bins, (bin + 1) / bins];
    return [{ low, high, predicted: middle(bin, bins), observed: hit / n, n }];
  });
}

/** The middle of a bin of [0, 1]. */
export function middle(bin: number, bins: number): number {
  return (bin + 0.5) / bins;
}

/** How sure the model is of the classes it predicts, and how often it is right. */
export interface Confidence {
  readonly reliability: readonly ReliabilityBin[];
  /** Mean distance of the share that is right from the middle of the bin (expected calibration error). */
  readonly error: number;
}

/** From the counts of all sites. */
export function confidenceOf(files: readonly ManyClassCounts[]): Confidence {
  const { bins } = files[0];
  const [hits, misses] = [new Array<number>(bins).fill(0), new Array<number>(bins).fill(0)];
  for (const { right, wrong } of files.map(({ confidence }) => confidence)) {
    right.forEach((rows, bin) => {
      hits[bin] += rows;
    });
    for (const cell of wrong) misses[cell.bins[0]] += cell.rows;
  }
  const reliability = reliabilityOf(hits, misses);
  const away = reliability.map((one) => one.n * Math.abs(one.observed - one.predicted));
  return { reliability, error: sum(away) / sum(reliability.map(({ n }) => n)) };
}

/** Mean of −ln of the probability that a row's own class had, at the middles of the bins. */
export function logLossOf(files: readonly (EvaluationCounts | ManyClassCounts)[]): number {
  const { bins } = files[0];
  const rows = new Array<number>(bins).fill(0);
  for (const [bin, count] of files.flatMap(ownBins)) rows[bin] += count;
  const losses = rows.map((count, bin) => -count * Math.log(middle(bin, bins)));
  return sum(losses) / sum(rows);
}

/** Rows of a file by the bin of the probability that their own class had. */
function ownBins(file: EvaluationCounts | ManyClassCounts): (readonly [number, number])[] {
  if (file.schema === 'suffice/evaluation@2') {
    const { right, wrong } = file.confidence;
    return [...right.entries(), ...wrong.map((cell) => [cell.bins[1], cell.rows] as const)];
  }
  const own = file.histograms.flatMap((one) => [...one.own.entries()]);
  if (file.levels.length > 2) return own;
  // Of two levels, the first mirrors the second.
  const others = [...file.histograms[0].others.entries()];
  return [...own, ...others.map(([bin, rows]) => [file.bins - 1 - bin, rows] as const)];
}
