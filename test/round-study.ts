import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createApp } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import { defined } from '../src/defined.ts';
import type { ClientOptions } from '../src/protocol/client.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type FollowedRound, followRounds } from '../src/protocol/follow-rounds.ts';
import type { Link } from '../src/protocol/link.ts';
import { createSigningKey, type SigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';
import { type Clock, operator } from './coordinator-study.ts';
import { agreement, contribution } from './linear.ts';
import { studyOf, summaryOf, tableOf } from './tables.ts';

/** A response of 0 and 1 that depends on x, without separation. */
export const yesNo = tableOf({
  y: Array.from({ length: 90 }, (_, r) =>
    (r * 7919) % 101 < 30 + ((r * 104729) % 97) / 3 ? 1 : 0,
  ),
  x: Array.from({ length: 90 }, (_, r) => ((r * 104729) % 97) / 8),
});

let studies = 0;

/** A logistic study, unlike any other. */
export function logisticStudy(terms: Partial<TableStudy> = {}): TableStudy {
  return {
    ...studyOf(yesNo, 'y ~ x', { fusion: { kind: 'glm', family: 'binomial' } }),
    name: `rounds ${++studies}`,
    disclosure: { profile: 'none' },
    ...terms,
  };
}

/** A study of residual layers, unlike any other. */
export function layeredStudy(): TableStudy {
  return logisticStudy({
    fusion: { kind: 'ridge', ridge: 'gcv' },
    features: [{ kind: 'residual', dimension: 4, seed: 1 }],
  });
}

/** A study on a store with clients that talk to it in this process. */
export async function roundStudy(
  store: Store,
  sites: readonly string[],
  study = logisticStudy(),
  { now }: Partial<Clock> = {},
) {
  const coordinator = await createCoordinator({ store, ...defined({ now }) });
  const created = await coordinator.create(operator, { study, sites });
  const app = createApp(coordinator, { rateLimits: 'off' });
  const options: ClientOptions = {
    retryFor: 0,
    fetch: (input, init) => app.fetch(new Request(input, init)),
  };
  const link = (site?: string, token?: string): Link => ({
    coordinator: 'http://localhost',
    purpose: site === undefined ? 'study' : 'join',
    study: created.id,
    digest: created.digest,
    token:
      token ??
      (site === undefined
        ? created.adminToken
        : created.invitations.find((one) => one.site === site)!.token),
    coordinatorKey: created.coordinatorKey,
  });
  const keys = new Map(sites.map((site): [string, SigningKey] => [site, createSigningKey()]));
  /** Sends a third of the rows to a round. */
  const send = (round: FollowedRound, site: string, key = keys.get(site)!) => {
    const agreed = agreement(round.view.study);
    const k = sites.indexOf(site);
    const rows = Array.from({ length: 30 }, (_, r) => 30 * k + r);
    const made = contribution(agreed, site, summaryOf(agreed, yesNo, rows));
    return round.client.contribute(encodeContribution(signContribution(made, key)));
  };
  const follow = (site?: string, token?: string) => followRounds(link(site, token), options);
  /** All sites join the newest round, which then resolves. */
  const resolved = async (names = sites) => {
    for (const site of names) await send((await follow(site)).at(-1)!, site);
    await coordinator.runDueWork();
  };
  const admin = studyClient(link(), options);
  return { coordinator, created, app, options, admin, link, send, follow, resolved };
}
