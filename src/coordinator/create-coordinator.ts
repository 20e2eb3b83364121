import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import { appointOperator, identify } from './access.ts';
import { analyseStudy } from './analyses.ts';
import { readAuditLog } from './audit-log.ts';
import { concludeLater } from './conclude-later.ts';
import { contribute, intake } from './contributions.ts';
import type { Caller, Coordinator } from './coordinator.ts';
import { agreements, type Conclude, type Desk } from './desk.ts';
import { countFigures } from './figures.ts';
import { inviteSite, revokeSite } from './invitations.ts';
import { closeStudy, extendStudy, openStudy, reopenStudy } from './life.ts';
import { createMeter } from './meter.ts';
import { answerOffer } from './offers.ts';
import { listReceipts } from './receipts.ts';
import { listResolutions, readResolution } from './resolution-records.ts';
import { resolveStudy } from './resolutions.ts';
import { readTotal } from './resolved-total.ts';
import type { Store } from './store.ts';
import { createStudy } from './study-records.ts';
import { listStudies, viewStudy } from './study-view.ts';
import { tend } from './tend.ts';
import { watchStudy } from './watch.ts';
import { withdraw } from './withdrawals.ts';

export { hasOperator, newToken } from './access.ts';
export type { Conclude } from './desk.ts';

export interface CoordinatorOptions {
  readonly store: Store;
  readonly now?: () => Date;
  /** Where the total is resolved; in this thread unless given. */
  readonly conclude?: Conclude;
  /** Becomes the operator's only token. */
  readonly operatorToken?: string;
}

/** A coordinator over a store; several may share one. */
export async function createCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { store, now = () => new Date(), conclude = concludeLater, operatorToken } = options;
  const desk: Desk = {
    store,
    signing: await sharedKey(store),
    now,
    conclude,
    agreed: agreements(store),
  };
  if (operatorToken !== undefined) await appointOperator(store, operatorToken, now());
  // A crash may have come between an erasure and its scrubbing; another process may be reading.
  await store.scrub().catch(() => {});
  const meter = createMeter(store);
  const thenView =
    <A extends unknown[]>(
      step: (desk: Desk, caller: Caller, id: string, ...rest: A) => Promise<void>,
    ) =>
    async (caller: Caller, id: string, ...rest: A) => {
      await step(desk, caller, id, ...rest);
      return viewStudy(desk, caller, id);
    };
  return {
    key: desk.signing.key,
    identify: (token) => identify(store.db, token, now()),
    create: (caller, request) => createStudy(desk, caller, request),
    list: (caller) => listStudies(desk, caller),
    view: (caller, id) => viewStudy(desk, caller, id),
    invite: (caller, id, site, choices) => inviteSite(desk, caller, id, site, choices),
    revoke: (caller, id, site) => revokeSite(desk, caller, id, site),
    open: thenView(openStudy),
    close: thenView(closeStudy),
    reopen: thenView(reopenStudy),
    extend: thenView(extendStudy),
    offer: (caller, id, offer) => answerOffer(desk, caller, id, offer),
    intake: (caller, id) => intake(desk, caller, id),
    contribute: (caller, id, file) => contribute(desk, caller, id, file),
    receipts: (caller, id) => listReceipts(desk, caller, id),
    withdraw: (caller, id, request) => withdraw(desk, caller, id, request),
    resolve: (caller, id, choice) => resolveStudy(desk, caller, id, choice),
    resolutions: (caller, id) => listResolutions(desk, caller, id),
    resolution: (caller, id, number) => readResolution(desk, caller, id, number),
    total: (caller, id, number) => readTotal(desk, caller, id, number),
    analyse: (caller, id, inquiry) => analyseStudy(desk, caller, id, inquiry),
    auditLog: (caller, id) => readAuditLog(desk, caller, id),
    watch: (caller, id, from, signal) => watchStudy(desk, caller, id, from, signal),
    meter: async (study, site, traffic) => meter.add(study, site, traffic),
    tend: async () => {
      await meter.flush();
      await tend(desk);
    },
    check: async () => {
      await store.db.selectFrom('settings').select('name').limit(1).execute();
    },
    figures: () => countFigures(store),
  };
}

/** The signing key that all coordinators on a store share; the first one makes it. */
async function sharedKey(store: Store): Promise<SigningKey> {
  const secret = await store.write('', async (db) => {
    await db
      .insertInto('settings')
      .values({ name: 'signing_secret', value: createSigningKey().secret })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'signing_secret')
      .executeTakeFirstOrThrow();
    return row.value;
  });
  return signingKey(secret);
}
