import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DataError, type Place } from '../table/data-error.ts';
import { type Job, type ResultOf, runJob } from './jobs.ts';
import type { JobProgress } from './read-rows.ts';
import { needsAllRows } from './reduce-job.ts';
import type { Edges, FilePart, TableFile } from './table-file.ts';

/** What a worker says. */
export type FromWorker =
  | { readonly progress: { readonly bytes: number; readonly rows: number } }
  | { readonly result: unknown }
  | { readonly refusal: { problem: string; place: Place; remedy: string } }
  | { readonly crash: string };

/** Runs jobs over files on several threads, each with its own kernels and memory. */
export interface Pool {
  /** One job a file; large CSV and Parquet files are cut into parts whose results `join` puts together. */
  run<J extends Job>(
    jobs: readonly J[],
    join: (parts: readonly ResultOf<J>[]) => ResultOf<J>,
    progress: JobProgress,
  ): Promise<ResultOf<J>[]>;
  close(): Promise<void>;
}

/** Rows live in kernel memory; a small nursery keeps the process small. */
const SMALL_YOUNG_HEAP = { maxYoungGenerationSizeMb: 4 };
/** Below this many bytes in all, starting threads (a tenth of a second) costs more than it saves. */
const WORTH_THREADS = 6e7;
/** A part of a file is at least this long. */
const LEAST_PART = 4e6;

const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js',
  import.meta.url,
);

/** A pool of as many threads as the machine has cores, or of just so many, whatever there is to read. */
export function createPool(wanted?: number, script: URL = WORKER): Pool {
  const threads = wanted ?? availableParallelism();
  const leastBytes = wanted === undefined ? WORTH_THREADS : LEAST_PART;
  const workers: Worker[] = [];
  const idle: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  let closed = false;

  const acquire = (): Promise<Worker> => {
    const free = idle.pop();
    if (free !== undefined) return Promise.resolve(free);
    if (workers.length < threads) {
      const worker = new Worker(script, { resourceLimits: SMALL_YOUNG_HEAP });
      workers.push(worker);
      return Promise.resolve(worker);
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (worker: Worker) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(worker);
    else next(worker);
  };

  const runOnWorker = async <J extends Job>(
    job: J,
    progress: JobProgress,
  ): Promise<ResultOf<J>> => {
    const worker = await acquire();
    try {
      const result = await converse(worker, job, progress);
      release(worker);
      return result;
    } catch (failure) {
      if (failure instanceof DeadThread) {
        workers.splice(workers.indexOf(worker), 1);
        const next = closed ? undefined : waiting.shift();
        if (next !== undefined) next(await acquire());
      } else {
        release(worker);
      }
      throw failure;
    }
  };

  return {
    async run(jobs, join, progress) {
      const bytes = jobs.reduce((sum, job) => sum + job.file.bytes, 0);
      const alone = threads <= 1 || bytes < leastBytes;
      const start = alone ? runJob : runOnWorker;
      const sums = progressSum(progress);
      const runFile = async (job: (typeof jobs)[number]) => {
        const parts = alone || isIndivisible(job) ? [] : partsOf(job.file, threads);
        if (parts.length > 1) {
          const counters = parts.map(() => sums.counter());
          const outcomes = await Promise.allSettled(
            parts.map((part, k) => start({ ...job, part }, counters[k])),
          );
          const results = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
          if (results.length === parts.length && fitTogether(results)) return join(results);
          const dead = outcomes.find(
            (o) => o.status === 'rejected' && o.reason instanceof DeadThread,
          );
          if (dead?.status === 'rejected') throw dead.reason;
          for (const counter of counters) counter(0, 0);
          // A part was refused, or began inside quotes: read in one piece, so that rows are counted right.
        }
        return start(job, sums.counter());
      };
      if (!alone) return Promise.all(jobs.map(runFile));
      const results = [];
      for (const job of jobs) results.push(await runFile(job));
      return results;
    },
    async close() {
      closed = true;
      await Promise.all(workers.map((worker) => worker.terminate()));
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

function converse<J extends Job>(
  worker: Worker,
  job: J,
  progress: JobProgress,
): Promise<ResultOf<J>> {
  return new Promise((resolve, reject) => {
    const die = (reason: unknown) => {
      stop();
      reject(new DeadThread(reason instanceof Error ? reason.message : `exit ${reason}`));
    };
    const hear = (message: FromWorker) => {
      if ('progress' in message) {
        progress(message.progress.bytes, message.progress.rows);
        return;
      }
      stop();
      if ('result' in message) resolve(message.result as ResultOf<J>);
      else if ('crash' in message) reject(new Error(message.crash));
      else {
        const { problem, place, remedy } = message.refusal;
        reject(new DataError(problem, place, remedy));
      }
    };
    const stop = () => {
      worker.off('message', hear);
      worker.off('error', die);
      worker.off('exit', die);
    };
    worker.on('message', hear);
    worker.on('error', die);
    worker.on('exit', die);
    worker.postMessage(job);
  });
}

function isIndivisible(job: Job): boolean {
  return job.kind === 'reduce' && needsAllRows(job);
}

/** Cuts a file into about one part a thread: bytes of a CSV file, row groups of a Parquet file. */
function partsOf({ bytes, format }: TableFile, threads: number): FilePart[] {
  const count = Math.min(threads, Math.floor(bytes / LEAST_PART));
  if (format.kind === 'csv' && format.encoding !== 'utf-8') return [];
  const length = format.kind === 'csv' ? bytes : format.groups.length;
  const pieces = Math.min(count, length);
  return Array.from({ length: pieces }, (_, k) => ({
    from: Math.floor((length * k) / pieces),
    to: Math.floor((length * (k + 1)) / pieces),
  }));
}

/** Each part must begin where the one before it ended; then no cut fell inside quotes. */
function fitTogether(results: readonly { readonly edges?: Edges }[]): boolean {
  return results.every(({ edges }, k) => {
    const before = k > 0 ? results[k - 1].edges : undefined;
    return before === undefined || edges === undefined || edges.first === before.last;
  });
}

/** Adds the progress of several jobs into one. */
function progressSum(progress: JobProgress): { counter(): JobProgress } {
  const counts: { bytes: number; rows: number }[] = [];
  return {
    counter() {
      const own = { bytes: 0, rows: 0 };
      counts.push(own);
      return (bytes, rows) => {
        own.bytes = bytes;
        own.rows = rows;
        progress(
          counts.reduce((sum, count) => sum + count.bytes, 0),
          counts.reduce((sum, count) => sum + count.rows, 0),
        );
      };
    },
  };
}
