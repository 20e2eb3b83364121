import { defined } from '../../src/defined.ts';
import type { Acknowledgement } from '../../src/disclosure/acknowledgement.ts';
import { studyClient } from '../../src/protocol/client.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import type { Pool } from '../../src/rows/pool.ts';
import type { ExchangeProgress } from '../../src/site/exchange-mail.ts';
import type { Joined } from '../../src/site/join.ts';
import { exchangeSteps } from '../../src/site/party-steps.ts';
import {
  refuseAudit,
  refuseUnacknowledged,
  unacknowledged,
} from '../../src/site/prepare-contribution.ts';
import type { PartyRequest, PreparedParty } from '../../src/site/prepare-party.ts';
import { type ExchangeView, type LinkedQuestion, stepsAt } from './exchange-view.ts';
import { type JoinSession, siteStoreOf } from './join-session.ts';
import { inOneTab } from './one-tab.ts';
import { progressWatch, type WorkProgress } from './progress.ts';
import { type PartyReadingView, partyReadingView } from './reading-view.ts';
import type { Call } from './worker-messages.ts';

/** A party in this tab that holds some columns of people whom others hold, too. Its rows, keys and shares stay in the worker. */
export interface TabParty {
  /** Reads and audits the party's file. Sends nothing. */
  read(request: PartyRequest, pool: Pool, call: Call<WorkProgress>): Promise<PartyReadingView>;
  /** Takes part with the approved file, and waits for the others. The state is stored before each message, so that a reload goes on. */
  takePart(
    acknowledged: readonly Acknowledgement[],
    pool: Pool,
    call: Call<ExchangeView>,
  ): Promise<Joined>;
}

/** Undefined where every site has all columns. Loads what taking part needs. */
export async function tabParty(session: JoinSession): Promise<TabParty | undefined> {
  const { agreed, site } = session.membership;
  const { columnsAt } = agreed.aggregation;
  if (columnsAt === undefined) return undefined;
  const { prepareParty, partyAgreement, partyOutgoing, takePart } = await import(
    './party-parts.ts'
  );
  return {
    async read(request, pool, call) {
      session.party = undefined;
      const { membership } = session;
      const store = siteStoreOf(session);
      const party = await prepareParty(request, membership, store, pool, progressWatch(call));
      call.signal.throwIfAborted();
      session.party = party;
      const { study, part, counts } = party;
      return partyReadingView(
        partyAgreement(study, part),
        party,
        partyOutgoing(study, part, counts),
      );
    },
    takePart(acknowledged, pool, call) {
      const party = approvedParty(session, acknowledged);
      const steps = exchangeSteps(columnsAt.linkage);
      let view: ExchangeView = { steps: stepsAt(steps, undefined) };
      const show = (change: Partial<ExchangeView>) => {
        view = { ...view, ...change };
        call.update(view);
      };
      const at = (present: ExchangeProgress | 'share') => show({ steps: stepsAt(steps, present) });
      show({});
      const client = studyClient(session.link, {
        // Others may take hours: a lost connection is tried again.
        retryFor: Number.POSITIVE_INFINITY,
        signal: call.signal,
        onRetry: () => show({ lost: true }),
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          if (view.lost === true && response.ok) show({ lost: false });
          return response;
        },
      });
      const tools = {
        ...{ pool, watch: () => ({ update() {}, done() {} }), signal: call.signal },
        client: {
          ...client,
          contribute: (file: Uint8Array) => {
            at('share');
            return client.contribute(file);
          },
        },
        notice: () => {},
        progress: at,
        linked: (lines: readonly string[]) => show({ linked: lines }),
        async approve(open: LinkedQuestion['open'], audit: LinkedQuestion['audit']) {
          show({ question: { open, ...defined({ audit }) } });
          const approved = await answerOf(session, call.signal);
          const { question: _, ...rest } = view;
          view = rest;
          call.update(view);
          return approved;
        },
      };
      return inOneTab(`party ${agreed.digest} ${site}`, () => takePart(party, tools, acknowledged));
    },
  };
}

/** The party whose file was read. Throws if there is none, a rule refuses it, or something was not acknowledged. */
function approvedParty(
  { party }: JoinSession,
  acknowledged: readonly Acknowledgement[],
): PreparedParty {
  if (party === undefined) {
    throw new Refusal('conflict', 'no file is ready', 'choose a file');
  }
  refuseAudit(party.review, 'nothing was sent');
  const open = unacknowledged(party.review, acknowledged);
  refuseUnacknowledged(open, party.review.audit, 'nothing was sent');
  return party;
}

/** Waits for the person's answer about the linked rows. */
function answerOf(session: JoinSession, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    session.answer = resolve;
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
