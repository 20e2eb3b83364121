import { ratioOfMeans, type SimulatedEstimate } from './estimates.ts';
import { gammas } from './streams.ts';
import { type FescTrial, meanSize } from './trial.ts';

/** Results of the runs so far at one γ, one value per run. */
export interface GammaRuns {
  readonly centralised: number[];
  readonly average: number[];
  readonly fesc: number[];
  readonly kept: number[];
  /** Mean size of a node, and the same before rounding. */
  readonly size: number[];
  readonly drawn: number[];
}

/** Nodes by size at the last γ, over all runs: bins from 0, with whole-number width. */
export interface SizeCounts {
  readonly width: number;
  readonly counts: number[];
  /** Nodes above the last bin. */
  beyond: number;
}

/** All runs so far. */
export interface Runs {
  readonly byGamma: readonly GammaRuns[];
  readonly histogram: SizeCounts;
  /** Adds a run: its trials, one for each γ. */
  add(trials: readonly FescTrial[]): void;
}

/** Number of bins up to the mean size, and number of mean sizes shown. */
const binsOfMean = 20;
const meansDrawn = 4;

export function noRuns(nodes: number): Runs {
  const mean = meanSize(nodes, gammas.length - 1);
  const width = Math.max(1, Math.round(mean / binsOfMean));
  const histogram = {
    width,
    counts: new Array<number>(Math.ceil((meansDrawn * mean) / width)).fill(0),
    beyond: 0,
  };
  const byGamma = gammas.map(() => ({
    centralised: [],
    average: [],
    fesc: [],
    kept: [],
    size: [],
    drawn: [],
  })) as readonly GammaRuns[];
  return {
    byGamma,
    histogram,
    add(trials) {
      trials.forEach(({ centralised, average, fesc, kept, sizes, drawn }, g) => {
        const runs = byGamma[g]!;
        runs.centralised.push(centralised);
        runs.average.push(average);
        runs.fesc.push(fesc);
        runs.kept.push(kept);
        runs.size.push(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
        runs.drawn.push(drawn);
      });
      for (const size of trials.at(-1)!.sizes) {
        const bin = Math.floor(size / width);
        if (bin < histogram.counts.length) histogram.counts[bin]!++;
        else histogram.beyond++;
      }
    },
  };
}

/** Error of an estimator over that of the centralised one, by γ. */
export function ratios(runs: Runs, estimator: 'average' | 'fesc'): SimulatedEstimate[] {
  return runs.byGamma.map((at) => ratioOfMeans(at[estimator], at.centralised));
}
