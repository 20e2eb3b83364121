import type { TwoAggregators } from '../src/aggregation/two-aggregators.ts';
import type { Coordinator } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { slipIn } from '../src/coordinator/helper-answer.ts';
import type { App } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import { totalDigest } from '../src/federate.ts';
import { createHelper, type Helper, type HelperOptions } from '../src/helper/helper.ts';
import { createHelperApp } from '../src/helper/http/helper-app.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import type { SignedSlip, SumRequest } from '../src/protocol/helper-messages.ts';
import { createSigningKey, type SigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import {
  type Contribution,
  type ContributionNumbering,
  encodeContribution,
  firstNumbering,
} from '../src/statistic/envelope.ts';
import { type LinearStatistic, sumStatistics } from '../src/statistic/statistic.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import {
  anyStudy,
  type Clock,
  operator,
  rows,
  type TestSite,
  table,
  testSite,
} from './coordinator-study.ts';
import { type Agreement, agreement, contribution } from './linear.ts';
import { summaryOf, type Table } from './tables.ts';

/** What an attacker on the way to the helper does with a request; undefined lets it pass. */
type OnTheWay = (
  request: SumRequest,
  pass: () => Promise<Response>,
) => Promise<Response> | undefined;

/** A helper on a store of its own, behind its HTTP app. */
export interface TestHelper {
  readonly helper: Helper;
  readonly app: App;
  readonly store: Store;
  /** Sets that it has promised to answer for, and seeds that it has recorded. */
  recorded(): Promise<{ readonly sets: number; readonly seeds: number }>;
}

export async function testHelper(
  store: Store,
  options: Omit<HelperOptions, 'store'> = {},
  clock?: Clock,
): Promise<TestHelper> {
  const timed: Store =
    clock === undefined
      ? store
      : Object.assign(Object.create(store), { now: async () => clock.now() });
  const helper = await createHelper({ store: timed, ...options });
  return {
    helper,
    app: createHelperApp(helper, { rate: { perSecond: 1e6, burst: 1e6 } }),
    store,
    async recorded() {
      const sets = await store.db.selectFrom('helper_answers').selectAll().execute();
      const seeds = await store.db.selectFrom('helper_seeds').selectAll().execute();
      return { sets: sets.length, seeds: seeds.length };
    },
  };
}

useNativeCrypto(); // as servers do: signatures are ten times faster

const HELPER_URL = 'http://127.0.0.1:9';

/** Keys of sites with these names. */
export function siteKeys(names: readonly string[]): Record<string, SigningKey> {
  return Object.fromEntries(names.map((name) => [name, createSigningKey()]));
}

/** What differs from a study of three sites or more. */
interface SecureTerms extends Partial<TwoAggregators> {
  readonly quorum?: Study['quorum'];
  readonly base?: TableStudy;
}

/** A study that this helper opens, for sites with these keys. */
export function secureStudy(
  { description }: Helper,
  keys: Readonly<Record<string, SigningKey>>,
  { quorum, base = anyStudy(quorum), ...terms }: SecureTerms = {},
): TableStudy {
  return {
    ...base,
    aggregation: {
      kind: 'two-aggregators',
      helper: {
        url: HELPER_URL,
        key: description.keys[terms.kem ?? 'x25519'],
        signingKey: description.signingKey,
      },
      roster: Object.fromEntries(Object.entries(keys).map(([name, { key }]) => [name, key])),
      minimumSites: 3,
      ...terms,
    },
  };
}

/** A site, and the forged files that it can make. */
export interface SecureSite extends TestSite {
  /** Its signed file after a change to the contribution, before it is signed. */
  forged(change: (made: Contribution) => Contribution, turn?: ContributionNumbering): Uint8Array;
}

export interface SecureParties extends TestHelper {
  readonly coordinator: Coordinator;
  readonly coordinatorStore: Store;
  readonly id: string;
  readonly study: TableStudy;
  readonly agreed: Agreement;
  readonly sites: Readonly<Record<string, SecureSite>>;
  /** The secrets of their invitations. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Requests that reached the way to the helper. */
  readonly requests: SumRequest[];
  /** From now on somebody stands between coordinator and helper. */
  intercept(onTheWay: OnTheWay | undefined): void;
  /** A contribution as a helper gets it. */
  slip(file: Uint8Array): SignedSlip;
  /** Asks the helper as a coordinator would. */
  ask(slips: readonly SignedSlip[], study?: Study): ReturnType<Helper['sum']>;
  /** Sends the rows of each of these sites. */
  send(...names: readonly string[]): Promise<void>;
  /** The sum of what these sites have sent, without any mask. */
  plainTotal(...names: readonly string[]): LinearStatistic;
  /** The digest of that sum. */
  plainDigest(...names: readonly string[]): string;
  resolve(): ReturnType<Coordinator['resolve']>;
  events(): Promise<
    readonly { readonly event: string; readonly detail: Record<string, unknown> }[]
  >;
}

/** The rows of the k-th site. */
const rowsOf = (k: number) => rows(6 * k, 6 * k + 8);

/** A coordinator, a helper and sites in this process, with an open study. */
export async function secureParties(
  stores: { readonly coordinator: Store; readonly helper: Store },
  names: readonly string[],
  options: SecureTerms & { readonly clock?: Clock; readonly from?: Table } = {},
): Promise<SecureParties> {
  const { clock, from = table, ...terms } = options;
  const own = await testHelper(stores.helper, {}, clock);
  const keys = siteKeys(names);
  const study = secureStudy(own.helper, keys, terms);
  const requests: SumRequest[] = [];
  let onTheWay: OnTheWay | undefined;
  const fetchHelper: typeof fetch = async (url, init) => {
    const body = new TextDecoder().decode(init?.body as Uint8Array<ArrayBuffer>);
    const asked: SumRequest = JSON.parse(body);
    requests.push(asked);
    const pass = () => own.app.fetch(new Request(String(url), { ...init, body }));
    return onTheWay?.(asked, pass) ?? pass();
  };
  const coordinator = await createCoordinator({
    store: stores.coordinator,
    helpers: { fetch: fetchHelper },
    ...(clock === undefined ? {} : { now: clock.now }),
  });
  const { id, invitations } = await coordinator.create(operator, { study, sites: names });
  const agreed = agreement(study);
  const sites = Object.fromEntries(
    names.map((name, k) => {
      const site = testSite(coordinator, id, agreed, name, keys[name], from);
      const forged: SecureSite['forged'] = (change, turn = firstNumbering) => {
        const made = contribution(agreed, name, summaryOf(agreed, from, rowsOf(k)), turn);
        return encodeContribution(signContribution(change(made), keys[name]));
      };
      return [name, { ...site, forged }];
    }),
  );
  for (const site of Object.values(sites)) await site.offer();
  const plainTotal = (...of: readonly string[]) =>
    sumStatistics(
      agreed.layout,
      of.map((name) => summaryOf(agreed, from, rowsOf(names.indexOf(name))).statistic),
    );
  return {
    ...own,
    coordinator,
    coordinatorStore: stores.coordinator,
    id,
    study,
    agreed,
    sites,
    tokens: Object.fromEntries(invitations.map(({ site, token }) => [site, token])),
    requests,
    intercept: (next) => {
      onTheWay = next;
    },
    slip: (file) => slipIn(agreed, file),
    ask: (contributions, about = study) =>
      own.helper.sum({ schema: 'suffice/sum-request@1', study: about, contributions }),
    async send(...senders) {
      for (const name of senders) await sites[name].send(rowsOf(names.indexOf(name)));
    },
    plainTotal,
    plainDigest: (...of) => totalDigest(agreed, plainTotal(...of)),
    resolve: () => coordinator.resolve(operator, id, { includeLate: false }),
    async events() {
      const { entries } = await coordinator.auditLog(operator, id);
      return entries.map(({ event, detail }) => ({ event, detail }));
    },
  };
}

/** A file of each of these sites. */
export function filesOf({ sites }: SecureParties, ...names: readonly string[]): Uint8Array[] {
  const all = Object.keys(sites);
  return names.map((name) => sites[name].file(rowsOf(all.indexOf(name))));
}
