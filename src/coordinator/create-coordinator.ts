import { appointOperator, identify } from './access.ts';
import { concludeHere } from './conclude-here.ts';
import { contribute, uploadLimits } from './contributions.ts';
import type { Coordinator } from './coordinator.ts';
import { agreements, type Conclude, type CoordinatorContext } from './coordinator-context.ts';
import { runDueWork } from './due-work.ts';
import { readGauges } from './gauges.ts';
import { operationsOf } from './handlers.ts';
import { sharedNoiseSecret, sharedSigningKey } from './shared-secrets.ts';
import type { Store } from './store.ts';
import { createTrafficCounter } from './traffic.ts';
import { watchStudy } from './watch.ts';

export { hasOperator, newToken } from './access.ts';
export type { Conclude } from './coordinator-context.ts';

export interface CoordinatorOptions {
  readonly store: Store;
  readonly now?: () => Date;
  /** How a study is resolved; in this thread unless given. */
  readonly conclude?: Conclude;
  /** Becomes the operator's only token. */
  readonly operatorToken?: string;
}

/** A coordinator on a store; several coordinators may share one store. */
export async function createCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { store, now = () => new Date(), conclude = concludeHere, operatorToken } = options;
  const context: CoordinatorContext = {
    store,
    signing: await sharedSigningKey(store),
    noiseSecret: await sharedNoiseSecret(store, now),
    now,
    conclude,
    agreed: agreements(store),
  };
  if (operatorToken !== undefined) await appointOperator(store, operatorToken, now());
  // After a crash, erased data may still be in the file. If another process is reading, scrubbing fails: try again later.
  await store.scrub().catch(() => {});
  const traffic = createTrafficCounter(store);
  return {
    key: context.signing.key,
    identify: (token) => identify(store.db, token, now()),
    ...operationsOf(context),
    uploadLimits: (caller, id) => uploadLimits(context, caller, id),
    contribute: (caller, id, file) => contribute(context, caller, id, file),
    watch: (caller, id, from, signal) => watchStudy(context, caller, id, from, signal),
    countTraffic: async (study, site, bytes) => traffic.add(study, site, bytes),
    runDueWork: async () => {
      await traffic.flush();
      await runDueWork(context);
    },
    check: async () => {
      await store.db.selectFrom('settings').select('name').limit(1).execute();
    },
    gauges: () => readGauges(store),
  };
}
