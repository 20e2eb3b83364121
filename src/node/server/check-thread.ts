import { Worker } from 'node:worker_threads';
import {
  type CheckedFile,
  type ContributionChecks,
  checksHere,
} from '../../coordinator/contribution-checks.ts';
import type { Agreement } from '../../federate.ts';
import type { Layout } from '../../statistic/layout.ts';
import { fromSource, threadScript } from '../files/package-files.ts';
import {
  type CheckTask,
  MOST_STUDIES,
  type SentCheck,
  type TaskResult,
  type TaskStudy,
} from './check-tasks.ts';

/** Checks contributions and signs receipts in a separate thread, so that this one only moves bytes. */
export interface CheckThread {
  readonly checks: ContributionChecks;
  close(): Promise<void>;
}

interface Waiting {
  readonly task: CheckTask;
  readonly resolve: (result: TaskResult) => void;
  readonly reject: (failure: Error) => void;
}

/** Bytes above which a file is checked here: a copy of it would cost more memory than a short pause costs time. */
const MOST_BYTES = 2 ** 20;

/** How long the first task waits for others, in milliseconds. */
const WAIT_MS = 2;

/** Memory for what lives shortly: the thread makes little else, and Node would take four times as much. */
const YOUNG_MEGABYTES = 8;

/**
 * The thread starts with the first contribution. Tasks that come while it works are sent together when it has answered: to wake
 * a thread costs as much as a signature. If it dies, its tasks and all later ones are done here.
 */
export function createCheckThread(): CheckThread {
  // From the TypeScript sources there is no script that a thread could load.
  if (fromSource) return { checks: checksHere, close: async () => {} };
  const numbers = new Map<Agreement, number>();
  let next = 1;
  let worker: Worker | undefined;
  let ended = false;
  let sent: readonly Waiting[] = [];
  let waiting: Waiting[] = [];

  const send = (): void => {
    if (sent.length > 0 || waiting.length === 0) return;
    sent = waiting;
    waiting = [];
    worker?.postMessage(sent.map(({ task }) => task));
  };
  const end = (): void => {
    ended = true;
    const left = [...sent, ...waiting];
    [sent, waiting] = [[], []];
    for (const { reject } of left) reject(new Error('the checking thread has ended'));
  };
  const start = (): Worker => {
    const started = new Worker(threadScript('check-worker', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    started.unref();
    started.on('message', (results: readonly TaskResult[]) => {
      const answered = sent;
      sent = [];
      if (waiting.length > 0) setTimeout(send, WAIT_MS);
      for (const [k, { resolve }] of answered.entries()) resolve(results[k]);
    });
    started.once('error', end);
    started.once('exit', end);
    return started;
  };
  /** The result of a task; undefined if the thread could not do it. */
  const elsewhere = async (task: CheckTask): Promise<TaskResult | undefined> => {
    worker ??= start();
    const result = new Promise<TaskResult>((resolve, reject) => {
      waiting.push({ task, resolve, reject });
      if (sent.length === 0 && waiting.length === 1) setTimeout(send, WAIT_MS);
    });
    return result.catch(() => undefined);
  };
  /** The number of a study, and the study itself if the thread does not have it. */
  const studyOf = (agreed: Agreement): TaskStudy => {
    const known = numbers.get(agreed);
    if (known !== undefined) return { number: known };
    if (numbers.size >= MOST_STUDIES) numbers.delete(numbers.keys().next().value as Agreement);
    const number = next++;
    numbers.set(agreed, number);
    return { number, study: agreed.study };
  };
  return {
    checks: {
      async check(agreed, file) {
        if (ended || file.length > MOST_BYTES) return checksHere.check(agreed, file);
        const result = await elsewhere({ ...studyOf(agreed), file });
        if (result === undefined || !('found' in result)) return checksHere.check(agreed, file);
        const { found, milliseconds } = result;
        return { found: withLayout(found, agreed.layout), milliseconds };
      },
      async sign(receipt, key) {
        const result = ended ? undefined : await elsewhere({ receipt, key });
        if (result === undefined || !('signed' in result)) return checksHere.sign(receipt, key);
        return result.signed;
      },
    },
    async close() {
      end();
      await worker?.terminate();
    },
  };
}

function withLayout(found: SentCheck, layout: Layout): CheckedFile {
  if ('refused' in found) return found;
  const { header, values } = found.contribution;
  return { ...found, contribution: { ...header, statistic: { layout, values } } };
}
