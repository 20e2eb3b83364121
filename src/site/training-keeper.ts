import { defined } from '../defined.ts';
import { keptTraining, keptTrainingText } from '../network/kept-training.ts';
import type { KeptTraining, TrainingProgress } from '../network/training-progress.ts';
import type { SiteStore } from './site-store.ts';

/** Keeps the state of a training at the site, so that a killed process goes on where it was. */
export interface TrainingKeeper {
  readonly resume?: KeptTraining;
  /** Takes the state now and then; stores it while the training goes on. */
  hear(training: TrainingProgress | undefined): void;
  /** Waits until the last state is stored. */
  stored(): Promise<void>;
}

/** Least time between two states that are stored. */
const PAUSE_MS = 2000;

/** The keeper of a site's training for a study. */
export async function trainingKeeper(
  store: Pick<SiteStore, 'training' | 'keepTraining'>,
  study: string,
  site: string,
): Promise<TrainingKeeper> {
  // A state that cannot be read costs time, too.
  const text = await store.training?.(study, site).catch(() => undefined);
  const resume = text === undefined ? undefined : keptTraining(text);
  let storing: Promise<void> | undefined;
  let began = Number.NEGATIVE_INFINITY;
  return {
    ...defined({ resume }),
    hear(training) {
      const now = performance.now();
      const done = training !== undefined && training.epoch === training.epochs;
      if (training?.kept === undefined || storing !== undefined) return;
      if (now - began < PAUSE_MS && !done) return;
      began = now;
      // A state that cannot be stored costs time after a crash, and nothing else.
      storing = store
        .keepTraining?.(study, site, keptTrainingText(training.kept))
        .catch(() => {})
        .then(() => {
          storing = undefined;
        });
    },
    stored: async () => storing,
  };
}
