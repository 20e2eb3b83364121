import { defined } from '../../src/defined.ts';
import { agreement } from '../../src/federate.ts';
import { auditDigest, verifyAuditLog } from '../../src/protocol/audit-chain.ts';
import { type Communication, communication } from '../../src/protocol/communication.ts';
import type { AuditEntry, StudyView } from '../../src/protocol/messages.ts';
import type { StudyLink } from '../tab/page-address.ts';
import { linkClient } from './client.ts';
import { type PartiesView, partiesView } from './parties-view.ts';
import { studyJson } from './study-json.ts';
import type { Call } from './worker-messages.ts';

/** A study on the analyst's page. */
export interface WatchedStudy extends Omit<StudyView, 'layout' | 'limit'> {
  readonly communication: Communication;
  /** Text about the method. */
  readonly method: string;
  /** Text about what protects the rows. */
  readonly protection: string;
  /** Noise protects the rows; the number of rows at a site is not shown. */
  readonly isPrivate: boolean;
  /** Where nobody sees the numbers of one site: who adds them. */
  readonly parties?: PartiesView;
  /** Whether the method has a further round. */
  readonly hasRounds: boolean;
  /** The study as JSON, for a file. */
  readonly json: string;
}

/** Whether the chain of a log is intact, or the problem with it. */
export type LogVerdict = { readonly ok: true } | { readonly problem: string };

/** An update about a study, while its page is open. */
export type StudyUpdate =
  | { readonly view: WatchedStudy }
  | { readonly log: readonly AuditEntry[]; readonly verdict: LogVerdict }
  | { readonly entry: AuditEntry; readonly verdict: LogVerdict }
  | { readonly connection: 'live' | 'lost' };

const ROUNDS = [100];

/** Milliseconds after which the coordinator has counted the bytes of a finished request; it writes counts once a second. */
const COUNT_DELAY = 2000;

/**
 * Sends the study now, after every event, and once more when the bytes of that event are counted, until the call is
 * cancelled. Each log entry is checked against the one before it. Without events it makes no requests.
 */
export async function watchedStudy(call: Call<StudyUpdate>, link: StudyLink): Promise<void> {
  const { signal } = call;
  const client = linkClient(link, { signal });
  const [view, log] = await Promise.all([client.view(), client.auditLog()]);
  const { digest: studyDigest } = view;
  const { coordinatorKey } = link;
  const { entries } = log;
  let verdict: LogVerdict = verdictOf(verifyAuditLog(log, { studyDigest, coordinatorKey }));
  call.update({ view: watched(view) });
  call.update({ log: entries, verdict });

  const patient = linkClient(link, {
    signal,
    retryFor: Number.POSITIVE_INFINITY,
    onRetry: () => call.update({ connection: 'lost' }),
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) call.update({ connection: 'live' });
      return response;
    },
  });
  let stale = false;
  let refreshing = false;
  const refresh = async () => {
    if (refreshing) return;
    refreshing = true;
    try {
      while (stale) {
        stale = false;
        call.update({ view: watched(await patient.view()) });
      }
    } catch {
      // Cancelled, or the link is refused: the stream of events fails too and reports it.
    } finally {
      refreshing = false;
    }
  };
  let counted: ReturnType<typeof setTimeout> | undefined;
  const happened = () => {
    stale = true;
    void refresh();
  };
  signal.addEventListener('abort', () => clearTimeout(counted));
  let last = entries.at(-1)?.digest ?? studyDigest;
  for await (const entry of patient.events(entries.length + 1, signal)) {
    if ('ok' in verdict && !follows(studyDigest, last, entry)) {
      verdict = { problem: `entry ${entry.position} does not follow the one before it` };
    }
    last = entry.digest;
    call.update({ entry, verdict });
    happened();
    clearTimeout(counted);
    counted = setTimeout(happened, COUNT_DELAY);
  }
}

function follows(study: string, last: string, entry: AuditEntry): boolean {
  return entry.previous === last && entry.digest === auditDigest(study, entry);
}

function verdictOf(verdict: ReturnType<typeof verifyAuditLog>): LogVerdict {
  return 'problem' in verdict ? { problem: verdict.problem } : { ok: true };
}

function watched({ layout, limit: _, ...view }: StudyView): WatchedStudy {
  const agreed = agreement(view.study);
  const { text, noise, rounds } = agreed.method;
  return {
    ...view,
    communication: communication(layout, view.sites, ROUNDS),
    method: text.method,
    protection:
      noise === undefined
        ? `rules of profile ${view.study.disclosure?.profile ?? 'default'}`
        : `noise, ε = ${noise.terms.epsilon}, δ = ${noise.terms.delta}`,
    isPrivate: noise !== undefined,
    ...defined({ parties: partiesView(agreed) }),
    hasRounds: rounds !== undefined && (rounds.planned !== 0 || rounds.beyondPlan === true),
    json: studyJson(view.study),
  };
}
