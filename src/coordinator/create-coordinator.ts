import { defined } from '../defined.ts';
import { appointOperator, identify } from './access.ts';
import { type CheckingTime, createCheckingTime } from './checking-time.ts';
import { concludeHere } from './conclude-here.ts';
import { type ContributionChecks, checksHere } from './contribution-checks.ts';
import { contribute, uploadLimits } from './contributions.ts';
import type { Coordinator } from './coordinator.ts';
import { type Conclude, type CoordinatorContext, studyLookups } from './coordinator-context.ts';
import { contributeAsDevice, deviceLimits } from './devices.ts';
import { sendDueSums } from './due-sums.ts';
import { runDueWork } from './due-work.ts';
import { readGauges } from './gauges.ts';
import { operationsOf } from './handlers.ts';
import { noWitness, type ReleaseWitness } from './release-witness.ts';
import { closeRestored, learnFromOthers } from './restored-studies.ts';
import { sharedNoiseSecret, sharedSigningKey } from './shared-secrets.ts';
import type { Store } from './store.ts';
import { watchHealth } from './store-health.ts';
import { requireOwnStore } from './store-owner.ts';
import { createTrafficCounter } from './traffic.ts';
import { storeBlock, uploadedBytes, uploadedFile } from './uploads.ts';
import { watchStudy } from './watch.ts';

export { hasOperator, newToken } from './access.ts';
export type { Conclude } from './coordinator-context.ts';

export interface CoordinatorOptions {
  readonly store: Store;
  /** The clock; the store's unless given. */
  readonly now?: () => Date;
  /** How a study is resolved; in this thread unless given. */
  readonly conclude?: Conclude;
  /** How contributions are checked and receipts signed; in this thread unless given. */
  readonly checks?: ContributionChecks;
  /** Divides the time for checks of contributions; by the usual shares unless given. */
  readonly checking?: CheckingTime;
  /** Bytes of a block of a large file; 4 MiB unless given. */
  readonly blockBytes?: number;
  /** Days after which the contributions to a study that has ended are erased; never unless given. */
  readonly keepDays?: number;
  /** How helpers are asked; by `fetch` unless given. */
  readonly helpers?: CoordinatorContext['helpers'];
  /** How parents of regional studies are asked; by `fetch` unless given. */
  readonly parents?: CoordinatorContext['parents'];
  /** Becomes the operator's only token. */
  readonly operatorToken?: string;
  /** The record of releases outside the store, for a coordinator with this public key; none unless given. */
  readonly witness?: (coordinatorKey: string) => ReleaseWitness;
  /** Called with the ids of private studies that were closed because the store is older than their releases. */
  readonly onRestored?: (studies: readonly string[]) => void;
}

const BLOCK_BYTES = 4 * 2 ** 20;

/** A coordinator on a store; several coordinators may share one store. */
export async function createCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { conclude = concludeHere, operatorToken } = options;
  const { store, check } = watchHealth(options.store);
  await requireOwnStore(store, 'coordinator');
  const given = options.now;
  const now: CoordinatorContext['now'] = async (db) =>
    (given === undefined ? await store.now(db) : given()).toISOString();
  const signing = await sharedSigningKey(store);
  const context: CoordinatorContext = {
    store,
    signing,
    noiseSecret: await sharedNoiseSecret(store, now),
    now,
    conclude,
    blockBytes: options.blockBytes ?? BLOCK_BYTES,
    checks: options.checks ?? checksHere,
    checking: options.checking ?? createCheckingTime(),
    witness: options.witness?.(signing.key) ?? noWitness,
    postponed: new Map(),
    ...defined({
      helpers: options.helpers,
      parents: options.parents,
      keepDays: options.keepDays,
    }),
    ...studyLookups(store),
  };
  if (operatorToken !== undefined) await appointOperator(store, operatorToken, await now());
  // After a crash, erased data may still be in the file. If another process is reading, scrubbing fails: try again later.
  await store.scrub().catch(() => {});
  const restored = await closeRestored(context);
  if (restored.length > 0) options.onRestored?.(restored);
  if (options.witness !== undefined) learnFromOthers(context);
  const traffic = createTrafficCounter(store);
  return {
    key: context.signing.key,
    identify: (token, study) => identify(store, token, now, study),
    ...operationsOf(context),
    uploadLimits: (caller, id, announced) => uploadLimits(context, caller, id, announced),
    contribute: (caller, id, file) => contribute(context, caller, id, file),
    deviceLimits: (caller, id) => deviceLimits(context, caller, id),
    contributeAsDevice: (caller, id, file) => contributeAsDevice(context, caller, id, file),
    blockBytes: context.blockBytes,
    sendBlock: (caller, id, file, block) => storeBlock(context, caller, id, file, block),
    uploadedBytes: (caller, id, file) => uploadedBytes(context, caller, id, file),
    contributeBlocks: async (caller, id, file) =>
      contribute(context, caller, id, await uploadedFile(context, caller, id, file), 'in blocks'),
    watch: (caller, id, from, signal) => watchStudy(context, caller, id, from, signal),
    countTraffic: async (study, site, bytes) => traffic.add(study, site, bytes),
    runDueWork: async () => {
      await traffic.flush();
      await runDueWork(context);
    },
    sendDueSums: () => sendDueSums(context),
    check,
    gauges: () => readGauges(store),
  };
}
