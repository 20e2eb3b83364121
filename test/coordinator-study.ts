import type { CheckingTime } from '../src/coordinator/checking-time.ts';
import type { Caller, Coordinator } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import type { Offer, SealedReceipt } from '../src/protocol/messages.ts';
import { createSigningKey, type SigningKey, sealDocument } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import {
  type ContributionNumbering,
  encodeContribution,
  firstNumbering,
} from '../src/statistic/envelope.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { type Agreement, agreement, contribution } from './linear.ts';
import { studyOf, summaryOf, type Table, tableOf } from './tables.ts';

/** A small table: y depends on x and noise; exact in decimal, one missing cell. */
export const table = tableOf({
  y: Array.from({ length: 60 }, (_, r) => ((r * 7919) % 101) / 4),
  x: Array.from({ length: 60 }, (_, r) => (r === 17 ? Number.NaN : ((r * 104729) % 97) / 8)),
  z: Array.from({ length: 60 }, (_, r) => ((r * 1299709) % 89) / 2),
});

let studies = 0;

/** A study over the table, unlike any other. */
export function anyStudy(quorum?: Study['quorum']): TableStudy {
  return {
    ...studyOf(table, 'y ~ x + z'),
    name: `study ${++studies}`,
    disclosure: { profile: 'none' },
    ...(quorum === undefined ? {} : { quorum }),
  };
}

/** A clock that only moves when it is told to. */
export interface Clock {
  now(): Date;
  pass(milliseconds: number): void;
}

export function createClock(start = '2027-01-01T00:00:00.000Z'): Clock {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    pass: (milliseconds) => {
      time += milliseconds;
    },
  };
}

export const operator: Caller = { role: 'operator' };

/** A site as the coordinator's functions see it: its caller, its key, and what it sends. */
export interface TestSite {
  readonly name: string;
  readonly caller: Caller;
  readonly key: SigningKey;
  offer(): Promise<void>;
  /** The signed file of these rows. */
  file(rows: readonly number[], turn?: ContributionNumbering): Uint8Array;
  send(rows: readonly number[], turn?: ContributionNumbering): Promise<SealedReceipt>;
  withdraw(sequence: number): ReturnType<Coordinator['withdraw']>;
}

export interface RunningStudy {
  readonly coordinator: Coordinator;
  readonly id: string;
  readonly agreed: Agreement;
  readonly sites: readonly TestSite[];
}

/** A study on a store with sites that have offered their columns, unless they are to be silent. */
export async function runningStudy(
  store: Store,
  names: readonly string[],
  options: {
    readonly study?: Study;
    readonly clock?: Clock;
    readonly draft?: boolean;
    readonly from?: Table;
    readonly offers?: 'none';
    readonly checking?: CheckingTime;
  } = {},
): Promise<RunningStudy> {
  const { study = anyStudy(), clock, draft = false, from, offers, checking } = options;
  const coordinator = await createCoordinator({
    store,
    ...(clock === undefined ? {} : { now: clock.now }),
    ...(checking === undefined ? {} : { checking }),
  });
  const { id } = await coordinator.create(operator, { study, sites: names, draft });
  const agreed = agreement(study);
  const sites = names.map((name) =>
    testSite(coordinator, id, agreed, name, createSigningKey(), from),
  );
  if (offers !== 'none') for (const site of sites) await site.offer();
  return { coordinator, id, agreed, sites };
}

export function testSite(
  coordinator: Coordinator,
  study: string,
  agreed: Agreement,
  name: string,
  key: SigningKey = createSigningKey(),
  from: Table = table,
): TestSite {
  const caller: Caller = { role: 'site', study, site: name };
  const file: TestSite['file'] = (rows, turn = firstNumbering) => {
    const summary = summaryOf(agreed, from, rows);
    return encodeContribution(signContribution(contribution(agreed, name, summary, turn), key));
  };
  return {
    name,
    caller,
    key,
    file,
    async offer() {
      await coordinator.offer(caller, study, fittingOffer(agreed, key));
    },
    async send(rows, turn) {
      const { receipt } = await coordinator.contribute(caller, study, file(rows, turn));
      return receipt;
    },
    withdraw: (sequence) =>
      coordinator.withdraw(caller, study, {
        withdrawal: sealDocument(
          { schema: 'suffice/withdrawal@1', study: agreed.digest, site: name, sequence },
          key,
        ),
      }),
  };
}

/** An offer with nothing wrong in it. */
export function fittingOffer({ columns }: Agreement, { key }: SigningKey): Offer {
  return {
    key,
    columns: columns.map(({ name, column }) => ({
      name,
      found: column.type === 'number' ? 'number' : 'text',
      unknownTexts: 0,
      range: column.type === 'number' ? 'inside' : 'not-a-number',
    })),
  };
}

/** Rows `from` up to but not including `to`. */
export function rows(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, k) => from + k);
}
