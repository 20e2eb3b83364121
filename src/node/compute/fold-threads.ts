import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import {
  type FoldScore,
  type RidgeFolds,
  ridgeFoldScorer,
  type ScoreFolds,
  scoreFoldsHere,
  useScoreFolds,
} from '../../solve/left-out.ts';
import type { LinearStatistic } from '../../statistic/statistic.ts';
import { fromSource, threadScript } from '../files/package-files.ts';

/** What the threads share. All memory is shared, so a thread takes folds and answers while the caller is busy or waits. */
export interface SharedFolds {
  readonly folds: RidgeFolds;
  readonly groups: readonly LinearStatistic[];
  /** The next fold to take; then, for each fold, whether its score is written. */
  readonly state: Int32Array;
  /** For each fold its weight and its means. */
  readonly scores: Float64Array;
}

/** About one nanosecond each: for less work, starting a thread costs more than it saves. */
const WORTH_THREADS = 3e8;
/** How long to wait for the folds that threads have taken; folds of a thread that died are then scored here. */
const PATIENCE_MS = 10_000;

/** Scores the folds of a leave-one-site-out on all cores from now on. */
export function useFoldThreads(): void {
  if (!fromSource) useScoreFolds(scoreOnThreads(availableParallelism()));
}

/** Scores folds on this and further threads, without the event loop: the caller waits, and so can be a plain function. */
export function scoreOnThreads(
  threads: number,
  script: URL = threadScript('fold-worker', import.meta.url),
  leastWork: number = WORTH_THREADS,
): ScoreFolds {
  return (folds, groups) => {
    const p = folds.unit.length;
    const work = groups.length * p * p * (p + folds.grid.length);
    if (threads < 2 || work < leastWork) return scoreFoldsHere(folds, groups);
    const shared = sharedFolds(folds, groups);
    const workers = Array.from({ length: Math.min(threads, groups.length) - 1 }, () =>
      startWorker(script, shared),
    );
    try {
      takeFolds(shared);
      groups.forEach((group, k) => {
        if (!isScored(shared, k)) writeScore(shared, k, ridgeFoldScorer(folds)(group));
      });
    } finally {
      for (const worker of workers) void worker.terminate();
    }
    return groups.map((_, k) => readScore(shared, k));
  };
}

function startWorker(script: URL, workerData: SharedFolds): Worker {
  const worker = new Worker(script, { workerData });
  worker.unref();
  worker.on('error', () => {}); // its folds are scored by the caller
  return worker;
}

/** Scores folds that nobody has taken yet. */
export function takeFolds(shared: SharedFolds): void {
  const score = ridgeFoldScorer(shared.folds);
  for (;;) {
    const k = Atomics.add(shared.state, 0, 1);
    if (k >= shared.groups.length) return;
    writeScore(shared, k, score(shared.groups[k]));
  }
}

function writeScore({ state, scores, folds }: SharedFolds, k: number, score: FoldScore): void {
  const at = k * (folds.grid.length + 1);
  scores[at] = score.weight;
  scores.set(score.means, at + 1);
  Atomics.store(state, k + 1, 1);
  Atomics.notify(state, k + 1);
}

/** Whether a score is there; waits for it for a while. */
function isScored({ state }: SharedFolds, k: number): boolean {
  Atomics.wait(state, k + 1, 0, PATIENCE_MS);
  return Atomics.load(state, k + 1) === 1;
}

function readScore({ scores, folds }: SharedFolds, k: number): FoldScore {
  const count = folds.grid.length;
  const at = k * (count + 1);
  return { weight: scores[at], means: scores.slice(at + 1, at + 1 + count) };
}

function sharedFolds(folds: RidgeFolds, groups: readonly LinearStatistic[]): SharedFolds {
  const { matrix } = folds.equations;
  const equations = {
    ...folds.equations,
    matrix: { ...matrix, hi: sharedFloats(matrix.hi), lo: sharedFloats(matrix.lo) },
  };
  return {
    folds: { ...folds, equations },
    groups: groups.map(({ layout, values }) => ({ layout, values: sharedWords(values) })),
    state: new Int32Array(new SharedArrayBuffer(4 * (groups.length + 1))),
    scores: new Float64Array(new SharedArrayBuffer(8 * groups.length * (folds.grid.length + 1))),
  };
}

function sharedFloats(values: Float64Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}

function sharedWords(values: Uint32Array): Uint32Array {
  const shared = new Uint32Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}
