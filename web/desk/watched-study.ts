import { agreement } from '../../src/federate.ts';
import { auditDigest, verifyAuditLog } from '../../src/protocol/audit-chain.ts';
import { type Communication, communication } from '../../src/protocol/communication.ts';
import type { AuditEntry, StudyView } from '../../src/protocol/messages.ts';
import type { StudyLink } from '../app/here.ts';
import { clientOf } from './client.ts';
import type { Call } from './conversation.ts';
import { studyJson } from './study-json.ts';

/** A study as the page of who runs it shows it. */
export interface WatchedStudy extends Omit<StudyView, 'layout' | 'limit'> {
  readonly meter: Communication;
  /** How the study learns. */
  readonly method: string;
  /** What protects the rows. */
  readonly protection: string;
  /** Noise protects the rows: how many a site has is not told. */
  readonly isPrivate: boolean;
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

/** The coordinator writes its meter down once a second: after so many milliseconds it knows of a request that is over. */
const METER_LAG = 2000;

/**
 * Tells the study as it stands and then after everything that happens to it, at once and when its bytes are counted, until
 * nobody listens: each entry of the log is checked against the one before it. While nothing happens nothing is asked.
 */
export async function watchedStudy(call: Call<StudyNews>, link: StudyLink): Promise<void> {
  const { signal } = call;
  const client = clientOf(link, { signal });
  const [view, log] = await Promise.all([client.view(), client.auditLog()]);
  const { digest: studyDigest } = view;
  const { coordinatorKey } = link;
  const { entries } = log;
  let verdict: LogVerdict = verdictOf(verifyAuditLog(log, { studyDigest, coordinatorKey }));
  call.tell({ view: watched(view) });
  call.tell({ log: entries, verdict });

  const patient = clientOf(link, {
    signal,
    retryFor: Number.POSITIVE_INFINITY,
    onRetry: () => call.tell({ connection: 'lost' }),
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) call.tell({ connection: 'live' });
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
        call.tell({ view: watched(await patient.view()) });
      }
    } catch {
      // Nobody listens any more, or the link is refused: the stream hears of that too, and says it.
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
    call.tell({ entry, verdict });
    happened();
    clearTimeout(counted);
    counted = setTimeout(happened, METER_LAG);
  }
}

function follows(study: string, last: string, entry: AuditEntry): boolean {
  return entry.previous === last && entry.digest === auditDigest(study, entry);
}

function verdictOf(verdict: ReturnType<typeof verifyAuditLog>): LogVerdict {
  return 'problem' in verdict ? { problem: verdict.problem } : { ok: true };
}

function watched({ layout, limit: _, ...view }: StudyView): WatchedStudy {
  const { text, noise } = agreement(view.study).method;
  return {
    ...view,
    meter: communication(layout, view.sites, ROUNDS),
    method: text.method,
    protection:
      noise === undefined
        ? `rules of profile ${view.study.disclosure?.profile ?? 'default'}`
        : `noise, ε = ${noise.terms.epsilon}, δ = ${noise.terms.delta}`,
    isPrivate: noise !== undefined,
    json: studyJson(view.study),
  };
}
