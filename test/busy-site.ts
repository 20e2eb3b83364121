import { resultOf } from '../src/conclude.ts';
import { type Report, reportJson } from '../src/model/report.ts';
import { type ClientOptions, studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import type { SealedErasure, SealedReceipt, StudyCreated } from '../src/protocol/messages.ts';
import { NetworkFailure } from '../src/protocol/network-failure.ts';
import { Refusal, type RefusalCode } from '../src/protocol/refusal.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { type ContributionNumbering, encodeContribution } from '../src/statistic/envelope.ts';
import { type Chance, chance } from './chance.ts';
import { fittingOffer, table } from './coordinator-study.ts';
import { type Agreement, collect, contribution } from './linear.ts';
import { summaryOf } from './tables.ts';

/** What counts for a site, and what proves it. */
export interface Counting {
  readonly receipt: SealedReceipt;
  readonly rows: readonly number[];
}

/** A site on the network that sends, replaces and withdraws, and remembers what it was told. */
export interface BusySite {
  readonly name: string;
  /** Every receipt, in the order they came. */
  readonly acknowledged: readonly SealedReceipt[];
  readonly erasures: readonly SealedErasure[];
  /** What counts by now. */
  readonly counting: readonly Counting[];
  shakeHands(): Promise<void>;
  /** Sends some rows and returns when they are acknowledged. */
  send(mode: ContributionNumbering['mode']): Promise<void>;
  withdraw(): Promise<void>;
}

/** How a link of a created study leads to a coordinator. */
export function linkOf(
  { id, coordinatorKey, adminToken, invitations }: StudyCreated,
  coordinator: string,
  site?: string,
): Link {
  const place = { coordinator, study: id, coordinatorKey };
  if (site === undefined) return { ...place, purpose: 'study', token: adminToken };
  const { token } = invitations.find((one) => one.site === site)!;
  return { ...place, purpose: 'join', token };
}

export function busySite(
  name: string,
  agreed: Agreement,
  link: Link,
  luck: Chance,
  options: ClientOptions = {},
): BusySite {
  const client = studyClient(link, options);
  const key = createSigningKey();
  const acknowledged: SealedReceipt[] = [];
  const erasures: SealedErasure[] = [];
  let counting: readonly Counting[] = [];
  let sequence = 1;
  return {
    name,
    acknowledged,
    erasures,
    get counting() {
      return counting;
    },
    async shakeHands() {
      const { accepted } = await persist(() => client.offer(fittingOffer(agreed, key)));
      if (!accepted) throw new Error(`the offer of ${name} was not accepted`);
    },
    async send(mode) {
      const rows = Array.from({ length: 4 + luck.below(8) }, () => luck.below(table.rows));
      const summary = summaryOf(agreed, table, rows);
      const unsigned = contribution(agreed, name, summary, { sequence, mode });
      const file = encodeContribution(signContribution(unsigned, key));
      const receipt = await persist(() => client.contribute(file));
      sequence++;
      acknowledged.push(receipt);
      counting = [...(mode === 'add' ? counting : []), { receipt, rows }];
    },
    async withdraw() {
      const leaving = { schema: 'suffice/withdrawal@1', study: agreed.digest, site: name } as const;
      const withdrawal = sealDocument({ ...leaving, sequence }, key);
      const erasure = await persist(() => client.withdraw({ withdrawal }));
      sequence++;
      erasures.push(erasure);
      counting = [];
    },
  };
}

/** Does the same again where the client has given up, as somebody runs a command again. */
async function persist<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (failure) {
      const passes = failure instanceof Refusal && passing.has(failure.code);
      if (!passes && !(failure instanceof NetworkFailure)) throw failure;
    }
  }
}

/** Refusals that end by themselves; on a slow machine a client repeats itself so often that it is told to slow down. */
const passing: ReadonlySet<RefusalCode> = new Set(['store-unavailable', 'too-many-requests']);

/** Sends, replaces and withdraws by chance until told that it is over; ends with rows that count. */
export async function keepBusy(
  site: BusySite,
  luck: Chance,
  pauseMilliseconds: number,
  isOver: () => boolean,
): Promise<void> {
  await luck.pause(pauseMilliseconds);
  await site.shakeHands();
  while (!isOver()) {
    const step = luck.below(10);
    if (step < 6) await site.send('add');
    else if (step < 9) await site.send('replace');
    else await site.withdraw();
    await luck.pause(pauseMilliseconds);
  }
  if (site.counting.length === 0) await site.send('add');
}

/** Keeps many sites busy beside whatever else happens; fails, when waited for, as the first of them. */
export function keepAllBusy(
  sites: readonly BusySite[],
  luck: Chance,
  pauseMilliseconds: number,
  isOver: () => boolean,
): Promise<unknown> {
  const busy = Promise.all(
    sites.map((site) => keepBusy(site, chance(luck.below(2 ** 30)), pauseMilliseconds, isOver)),
  );
  busy.catch(() => {}); // for whoever waits for it
  return busy;
}

/** What the sites' rows give when nothing disturbs: each site's in one go, in this process. */
export function undisturbedReport(agreed: Agreement, sites: readonly BusySite[]): Report {
  const ordered = sites.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parts = ordered.map(({ name, counting }) => {
    const summary = summaryOf(
      agreed,
      table,
      counting.flatMap(({ rows }) => rows),
    );
    const { rows: n, dropped } = summary;
    return { line: { name, n, dropped }, contribution: contribution(agreed, name, summary) };
  });
  const contributions = parts.map((part) => part.contribution);
  const lines = parts.map(({ line }) => line);
  const found = resultOf(agreed, collect(agreed, contributions), lines);
  if ('problem' in found) throw new Error(found.problem);
  return JSON.parse(reportJson(found.report));
}
