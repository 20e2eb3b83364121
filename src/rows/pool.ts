import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { TrainingProgress } from '../network/training-progress.ts';
import type { Host } from './host.ts';
import { type Job, type ResultOf, runJob } from './jobs.ts';
import type { FromThread } from './serve-jobs.ts';
import type { JobProgress, SourceRange } from './source.ts';
import { readerOf } from './sources.ts';
import { workOf } from './work-of.ts';

/** Runs jobs over sources on several threads, each with its own kernels and memory. */
export interface Pool {
  /** Reads sources that are too small for a thread. */
  readonly host: Host;
  /** One job per source; a large source is cut into ranges, and `join` combines their results. */
  run<J extends Job>(
    jobs: readonly J[],
    join: (results: readonly ResultOf<J>[]) => ResultOf<J>,
    progress: JobProgress,
  ): Promise<ResultOf<J>[]>;
  /** Ends all threads; what is still running is rejected with `ReadingCancelled`. */
  close(): Promise<void>;
}

export interface ThreadPool extends Pool {
  /** Starts the threads that a source of this many bytes is worth, so that they are there when its job comes. */
  start(bytes: number): void;
}

/** A thread that serves jobs: the only part of a pool that depends on the platform. */
export interface Thread {
  post(job: Job): void;
  /** Calls `onMessage` for each message and `onEnd` when the thread ends, until the returned function is called. */
  listen(onMessage: (message: FromThread) => void, onEnd: (reason: string) => void): () => void;
  terminate(): unknown;
}

export interface PoolOptions {
  readonly threads: number;
  /** Total work, in bytes, below which starting threads costs more than it saves. */
  readonly leastBytes?: number;
  /** Smallest work of a range, in bytes; 4 MB unless given. */
  readonly leastRange?: number;
  /** Bytes that the last thread reads while the others start. */
  readonly headStart?: number;
  readonly host: Host;
  startThread(): Thread;
}

/** A reading that ended because its pool was closed. */
export class ReadingCancelled extends Error {
  constructor() {
    super('the reading was cancelled');
    this.name = 'ReadingCancelled';
  }
}

const LEAST_RANGE = 4e6;
/** Pieces of a source for each thread, from which its range is put together. */
const PIECES_A_THREAD = 128;

/** A pool of threads that share the jobs of a reading. */
export function poolOf({
  threads,
  leastBytes = LEAST_RANGE,
  leastRange = LEAST_RANGE,
  headStart = 0,
  host,
  startThread,
}: PoolOptions): ThreadPool {
  const started: Thread[] = [];
  const idle: Thread[] = [];
  const waiting: ((thread: Thread) => void)[] = [];
  const cancels = new Set<() => void>();
  let closed = false;
  let ending: Promise<unknown> | undefined;

  const acquire = (): Promise<Thread> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (started.length < threads) {
      const thread = startThread();
      started.push(thread);
      return Promise.resolve(thread);
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (thread: Thread) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(thread);
    else next(thread);
  };

  const rangesOf = (job: Job): readonly SourceRange[] => {
    const { source } = job;
    const work = workOf(job);
    const wanted = Math.min(threads, Math.floor(work / leastRange));
    if (wanted < 2) return [];
    const ahead = started.length === 0 ? Math.min(headStart, work) : 0;
    if (ahead === 0) return readerOf(host, source).cut(source, wanted);
    const pieces = readerOf(host, source).cut(source, PIECES_A_THREAD * wanted);
    return grouped(pieces, wanted, 1 - ahead / work);
  };

  const runHere = <J extends Job>(job: J, progress: JobProgress): Promise<ResultOf<J>> =>
    runJob(job, host, (...done) => {
      if (closed) throw new ReadingCancelled();
      progress(...done);
    });

  const runOnThread = async <J extends Job>(
    job: J,
    progress: JobProgress,
  ): Promise<ResultOf<J>> => {
    // Threads of a closed pool may work for another pool, which would receive the answer.
    if (closed) throw new ReadingCancelled();
    const thread = await acquire();
    if (closed) throw new ReadingCancelled();
    try {
      const result = await runJobOn(thread, job, progress);
      release(thread);
      return result;
    } catch (failure) {
      if (failure instanceof DeadThread) {
        started.splice(started.indexOf(thread), 1);
        const next = closed ? undefined : waiting.shift();
        if (next !== undefined) next(await acquire());
      } else {
        release(thread);
      }
      throw failure;
    }
  };

  const runAll = async <J extends Job>(
    jobs: readonly J[],
    join: (results: readonly ResultOf<J>[]) => ResultOf<J>,
    progress: JobProgress,
  ): Promise<ResultOf<J>[]> => {
    const alone = threads <= 1 || jobs.reduce((sum, job) => sum + workOf(job), 0) < leastBytes;
    const start = alone ? runHere : runOnThread;
    const sums = progressSum(progress);
    const runOne = async (job: J): Promise<ResultOf<J>> => {
      if (readerOf(host, job.source).here === true) return runHere(job, sums.counter());
      const ranges = alone || isIndivisible(job) ? [] : rangesOf(job);
      if (ranges.length > 1) {
        const counters = ranges.map(() => sums.counter());
        const outcomes = await Promise.allSettled(
          ranges.map((range, k) => start({ ...job, range }, counters[k])),
        );
        const results = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
        if (results.length === ranges.length && fitTogether(results)) return join(results);
        const dead = outcomes.find(
          (o) => o.status === 'rejected' && o.reason instanceof DeadThread,
        );
        if (dead?.status === 'rejected') throw dead.reason;
        for (const counter of counters) counter(0, 0);
        // A range was refused, or began inside a record: read the whole source, so that row numbers are right.
      }
      return start(job, sums.counter());
    };
    if (!alone) return Promise.all(jobs.map(runOne));
    const results: ResultOf<J>[] = [];
    for (const job of jobs) results.push(await runOne(job));
    return results;
  };

  return {
    host,
    start(bytes) {
      if (closed || bytes < leastBytes) return;
      // The last thread may be the calling one, which has other work until then.
      const early = Math.min(threads, Math.floor(bytes / leastRange)) - 1;
      while (started.length < early) {
        const thread = startThread();
        started.push(thread);
        idle.push(thread);
      }
    },
    run(jobs, join, progress) {
      if (closed) return Promise.reject(new ReadingCancelled());
      return new Promise((resolve, reject) => {
        const cancel = () => reject(new ReadingCancelled());
        cancels.add(cancel);
        const whileOpen: JobProgress = (...done) => {
          if (!closed) progress(...done);
        };
        runAll(jobs, join, whileOpen)
          .then(resolve, reject)
          .finally(() => cancels.delete(cancel));
      });
    },
    async close() {
      closed = true;
      for (const cancel of cancels) cancel();
      // Only once: a thread returned twice would serve two jobs, and each would receive the other's answers.
      ending ??= Promise.all(started.map((thread) => thread.terminate()));
      await ending;
    },
  };
}

/** A thread that ended in the middle of a job, or never started. */
class DeadThread extends Error {
  constructor(reason: string) {
    super(`a reading thread died: ${reason}`);
    this.name = 'DeadThread';
  }
}

function runJobOn<J extends Job>(
  thread: Thread,
  job: J,
  progress: JobProgress,
): Promise<ResultOf<J>> {
  return new Promise((resolve, reject) => {
    const stop = thread.listen(
      (message) => {
        if ('progress' in message) {
          progress(...message.progress);
          return;
        }
        stop();
        if ('result' in message) resolve(message.result as ResultOf<J>);
        else if ('crash' in message) reject(new Error(message.crash));
        else {
          const { problem, place = {}, remedy, option } = message.refusal;
          reject(new DataError(problem, place, remedy, option));
        }
      },
      (reason) => {
        stop();
        reject(new DeadThread(reason));
      },
    );
    thread.post(job);
  });
}

function isIndivisible(job: Job): boolean {
  return job.kind === 'explain' || (job.kind === 'reduce' && job.wholeFile);
}

/** Joins neighbouring pieces into `count` ranges: all but the last share `part` of the pieces that are theirs by number. */
function grouped(
  pieces: readonly SourceRange[],
  count: number,
  part: number,
): readonly SourceRange[] {
  const size = Math.round((part * pieces.length) / count);
  if (size === 0 || pieces.length < count) return [];
  return Array.from({ length: count }, (_, k) => {
    const last = k === count - 1 ? pieces.length - 1 : (k + 1) * size - 1;
    return { from: pieces[k * size]!.from, to: pieces[last]!.to };
  });
}

/** Each range must begin where the one before it ended; then no cut fell inside a record. */
function fitTogether(results: readonly { readonly edges?: SourceRange }[]): boolean {
  return results.every(({ edges }, k) => {
    const before = k > 0 ? results[k - 1].edges : undefined;
    return before === undefined || edges === undefined || edges.from === before.to;
  });
}

/** Adds the progress of several jobs into one. */
function progressSum(progress: JobProgress): { counter(): JobProgress } {
  const counts: { bytes: number; rows: number; training?: TrainingProgress }[] = [];
  return {
    counter() {
      const own: (typeof counts)[number] = { bytes: 0, rows: 0 };
      counts.push(own);
      return (bytes, rows, training) => {
        Object.assign(own, { bytes, rows }, defined({ training }));
        progress(
          counts.reduce((sum, count) => sum + count.bytes, 0),
          counts.reduce((sum, count) => sum + count.rows, 0),
          training && joinTrainings(counts.flatMap((count) => count.training ?? [])),
        );
      };
    },
  };
}

/** Several trainings as one: the epochs of all. A state to go on from is of one training only. */
function joinTrainings(all: readonly TrainingProgress[]): TrainingProgress {
  if (all.length === 1) return all[0];
  const sum = (of: (one: TrainingProgress) => number) => all.reduce((s, one) => s + of(one), 0);
  return {
    epoch: sum(({ epoch }) => epoch),
    epochs: sum(({ epochs }) => epochs),
    loss: sum(({ loss }) => loss) / all.length,
  };
}
