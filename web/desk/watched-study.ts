import { auditDigest, verifyAuditLog } from '../../src/protocol/audit-chain.ts';
import { type StudyClient, studyClient } from '../../src/protocol/client.ts';
import { type Communication, communication } from '../../src/protocol/communication.ts';
import type { AuditEntry, StudyView } from '../../src/protocol/messages.ts';
import type { StudyLink } from '../app/here.ts';
import type { Call } from './conversation.ts';
import { studyJson } from './study-json.ts';

/** A study as the page of who runs it shows it. */
export interface WatchedStudy extends Omit<StudyView, 'layout' | 'limit'> {
  readonly meter: Communication;
  /** The study, to be kept as a file. */
  readonly json: string;
}

/** Whether a log holds together, or what is wrong with it. */
export type LogVerdict = { readonly ok: true } | { readonly problem: string };

/** What a page hears of a study while it is open. */
export type StudyNews =
  | { readonly view: WatchedStudy }
  | { readonly log: readonly AuditEntry[]; readonly verdict: LogVerdict }
  | { readonly entry: AuditEntry; readonly verdict: LogVerdict }
  | { readonly connection: 'live' | 'lost' };

const ROUNDS = [100];

export function runningClient(link: StudyLink, retrying: Retrying = {}): StudyClient {
  return studyClient({ ...link, purpose: 'study' }, retrying);
}

type Retrying = Parameters<typeof studyClient>[1];

/**
 * Tells the study as it stands and then after everything that happens to it, until nobody listens: each entry of the log
 * is checked against the one before it. Nothing is asked on a timer.
 */
export async function watchedStudy(call: Call<StudyNews>, link: StudyLink): Promise<void> {
  const { signal } = call;
  const client = runningClient(link, { signal });
  const tellView = async () => call.tell({ view: watched(await client.view()) });
  const [view, log] = await Promise.all([client.view(), client.auditLog()]);
  const { digest: studyDigest } = view;
  const { coordinatorKey } = link;
  const { entries } = log;
  let verdict: LogVerdict = verdictOf(verifyAuditLog(log, { studyDigest, coordinatorKey }));
  call.tell({ view: watched(view) });
  call.tell({ log: entries, verdict });

  let stale = false;
  let refreshing = false;
  const refresh = async () => {
    if (refreshing) return;
    refreshing = true;
    try {
      while (stale) {
        stale = false;
        await tellView();
      }
    } catch {
      call.tell({ connection: 'lost' });
    } finally {
      refreshing = false;
    }
  };
  const stream = runningClient(link, {
    signal,
    retryFor: Number.POSITIVE_INFINITY,
    onRetry: () => call.tell({ connection: 'lost' }),
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) call.tell({ connection: 'live' });
      return response;
    },
  });
  let last = entries.at(-1)?.digest ?? studyDigest;
  for await (const entry of stream.events(entries.length + 1, signal)) {
    if ('ok' in verdict && !follows(studyDigest, last, entry)) {
      verdict = { problem: `entry ${entry.position} does not follow the one before it` };
    }
    last = entry.digest;
    call.tell({ entry, verdict });
    stale = true;
    void refresh();
  }
}

function follows(study: string, last: string, entry: AuditEntry): boolean {
  return entry.previous === last && entry.digest === auditDigest(study, entry);
}

function verdictOf(verdict: ReturnType<typeof verifyAuditLog>): LogVerdict {
  return 'problem' in verdict ? { problem: verdict.problem } : { ok: true };
}

function watched({ layout, limit: _, ...view }: StudyView): WatchedStudy {
  return { ...view, meter: communication(layout, view.sites, ROUNDS), json: studyJson(view.study) };
}
