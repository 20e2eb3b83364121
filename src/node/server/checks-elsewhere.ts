import {
  type CheckedFile,
  type ContributionChecks,
  checksHere,
} from '../../coordinator/contribution-checks.ts';
import type { Agreement } from '../../federate.ts';
import type { Layout } from '../../statistic/layout.ts';
import {
  type CheckTask,
  MOST_STUDIES,
  type SentCheck,
  type TaskResult,
  type TaskStudy,
} from './check-tasks.ts';
import { createTurnQueue } from './turn-queue.ts';

/** A thread that answers a list of tasks with a list of their results. */
export interface TaskThread {
  post(tasks: readonly CheckTask[]): void;
  stop(): Promise<unknown>;
}

/** Starts a thread; `died` is called once, if it ends by itself. */
export type StartThread = (
  answered: (results: readonly TaskResult[]) => void,
  died: () => void,
) => TaskThread;

/** Checks contributions and signs receipts in a separate thread, so that this one only moves bytes. */
export interface CheckThread {
  readonly checks: ContributionChecks;
  close(): Promise<void>;
}

interface Waiting {
  /** The task, made when it is sent: only then it is known which studies the thread has. */
  readonly make: () => CheckTask;
  readonly resolve: (result: TaskResult | undefined) => void;
}

/** Bytes above which a file is checked here: a copy of it would cost more memory than a short pause costs time. */
const MOST_BYTES = 2 ** 20;

/** Most tasks that are sent together; with `MOST_BYTES`, what another study waits for at most. */
const MOST_TOGETHER = 64;

/** How long the first task waits for others, in milliseconds. */
const WAIT_MS = 2;

/**
 * The thread starts with the first contribution. Tasks that come while it works are sent together when it has answered: to wake
 * a thread costs as much as a signature. If it dies, its tasks are done here, and it starts again; one that never answered is given up.
 */
export function checksElsewhere(start: StartThread): CheckThread {
  const numbers = new Map<Agreement, number>();
  const waiting = createTurnQueue<Waiting>();
  let next = 1;
  let thread: TaskThread | undefined;
  let isUp = false;
  let ended = false;
  let sent: readonly Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = (): void => {
    timer = undefined;
    if (sent.length > 0 || waiting.length === 0) return;
    sent = waiting.take(MOST_TOGETHER, MOST_BYTES);
    try {
      thread ??= begin();
      thread.post(sent.map(({ make }) => make()));
    } catch {
      end(); // the machine has no room for a thread
    }
  };
  const sendSoon = (): void => {
    if (waiting.length >= MOST_TOGETHER) send();
    else timer ??= setTimeout(send, WAIT_MS);
  };
  /** What the thread had is done here. */
  const giveUp = (tasks: readonly Waiting[]): void => {
    sent = [];
    for (const { resolve } of tasks) resolve(undefined);
  };
  const end = (): void => {
    ended = true;
    giveUp([...sent, ...waiting.take(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)]);
  };
  const begin = (): TaskThread => {
    numbers.clear();
    isUp = false;
    return start(
      (results) => {
        isUp = true;
        const answered = sent;
        sent = [];
        if (waiting.length > 0) sendSoon();
        for (const [k, { resolve }] of answered.entries()) resolve(results[k]);
      },
      () => {
        thread = undefined;
        if (!isUp) return end();
        giveUp(sent);
        if (waiting.length > 0) sendSoon();
      },
    );
  };
  /** The result of a task; undefined if the thread could not do it. */
  const elsewhere = (
    study: string,
    bytes: number,
    make: () => CheckTask,
  ): Promise<TaskResult | undefined> =>
    new Promise((resolve) => {
      waiting.add(study, bytes, { make, resolve });
      if (sent.length === 0) sendSoon();
    });
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
        const task = () => ({ ...studyOf(agreed), file });
        const result = await elsewhere(agreed.digest, file.length, task);
        if (result === undefined || !('found' in result)) return checksHere.check(agreed, file);
        const { found, milliseconds } = result;
        return { found: withLayout(found, agreed.layout), milliseconds };
      },
      async sign(receipt, key) {
        if (ended) return checksHere.sign(receipt, key);
        const result = await elsewhere(receipt.study, 0, () => ({ receipt, key }));
        if (result === undefined || !('signed' in result)) return checksHere.sign(receipt, key);
        return result.signed;
      },
    },
    async close() {
      clearTimeout(timer);
      end();
      await thread?.stop();
    },
  };
}

function withLayout(found: SentCheck, layout: Layout): CheckedFile {
  if ('refused' in found) return found;
  const { header, values } = found.contribution;
  return { ...found, contribution: { ...header, statistic: { layout, values } } };
}
