import type { ExperimentResult } from '../../experiments/paper-result.ts';
import type { Call } from './worker-messages.ts';

/** Progress of an experiment. */
export interface LabProgress<Result = ExperimentResult> {
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Absent if nothing is new since the last update. */
  readonly soFar?: Result;
}

/** A step of an experiment, with what is known so far. */
interface LabStep<Result> {
  readonly done: number;
  readonly what: string;
  readonly soFar?: Result;
}

/** Milliseconds between two updates. */
const UPDATE_PAUSE = 100;
/** Milliseconds of work after which a cancel message is let in. */
const LONGEST_WORK = 30;

/** Runs an experiment until it ends or is cancelled, and sends updates. */
export async function followed<Result>(
  call: Call<LabProgress<Result>>,
  experiment: Generator<LabStep<Result>, Result, void>,
): Promise<Result> {
  const began = performance.now();
  let [updated, paused] = [began, began];
  let soFar: Result | undefined;
  for (;;) {
    const { done, value } = experiment.next();
    if (done === true) return value;
    soFar = value.soFar ?? soFar;
    const now = performance.now();
    if (now - updated >= UPDATE_PAUSE) {
      updated = now;
      const drawn = soFar === undefined ? {} : { soFar };
      call.update({ done: value.done, what: value.what, seconds: (now - began) / 1000, ...drawn });
      soFar = undefined;
    }
    if (now - paused < LONGEST_WORK) continue;
    await nextMessage();
    paused = performance.now();
    call.signal.throwIfAborted();
  }
}

/** Lets messages in. Browsers slow down a timer that is set again and again, so a message channel is used. */
function nextMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
