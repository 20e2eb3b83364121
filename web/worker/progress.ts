import { defined } from '../../src/defined.ts';
import type { TrainingProgress } from '../../src/network/training-progress.ts';
import type { Watch } from '../../src/rows/watch.ts';
import type { Call } from './worker-messages.ts';

/** Progress of reading a file. */
export interface WorkProgress {
  readonly phase: string;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly rows: number;
  /** Seconds since the phase began. */
  readonly seconds: number;
  /** The file is read, and the site waits for others to agree on masks. */
  readonly waits?: true;
  /** Where the site trains a network, after its rows are read. */
  readonly training?: TrainingView;
}

/** How far a training is, to be shown. */
export interface TrainingView {
  /** Epochs done, with a fraction within one. */
  readonly epoch: number;
  readonly epochs: number;
  /** Epochs that an earlier run had done, where this one goes on with it. */
  readonly from?: number;
  /** Mean loss by epoch: the number of the epoch, and its loss. */
  readonly losses: readonly (readonly [epoch: number, loss: number])[];
  /** Seconds that the rest will take, if it goes on as it did. */
  readonly left: number;
}

const PAUSE = 200;

/** Sends the progress of a reading to the page, at most every 200 ms. */
export function progressWatch(call: Pick<Call<WorkProgress>, 'update'>): Watch {
  return (phase, totalBytes) => {
    const began = performance.now();
    const training = trainingWatch();
    let updated = 0;
    call.update({ phase, bytes: 0, totalBytes, rows: 0, seconds: 0 });
    return {
      update(bytes, rows, trained) {
        const view = trained && training(trained);
        const now = performance.now();
        if (now - updated < PAUSE && !isMoment(view)) return;
        updated = now;
        const seconds = (now - began) / 1000;
        call.update({ phase, bytes, totalBytes, rows, seconds, ...defined({ training: view }) });
      },
      done() {},
    };
  };
}

/** The first epoch of a training and its end are always sent. */
function isMoment(training: TrainingView | undefined): boolean {
  return training !== undefined && (training.losses.length < 2 || training.left === 0);
}

/** Gathers the losses of a training, epoch by epoch, and estimates the time that it still takes. */
function trainingWatch(): (progress: TrainingProgress) => TrainingView {
  const losses: [number, number][] = [];
  let first: { readonly epoch: number; readonly at: number } | undefined;
  return ({ epoch, epochs, loss, from }) => {
    const at = performance.now();
    first ??= { epoch, at };
    if (Number.isInteger(epoch)) losses.push([epoch, loss]);
    const done = epoch - first.epoch;
    const rate = done > 0 ? (at - first.at) / 1000 / done : Number.NaN;
    const left = epoch >= epochs ? 0 : rate * (epochs - epoch);
    return { epoch, epochs, losses, left, ...defined({ from }) };
  };
}
