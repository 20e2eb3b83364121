import type { Failure } from '../failure.ts';
import { type Report, reportJson } from '../model/report.ts';
import type { Resolution, SealedResolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import { resolutionDigest } from '../protocol/verify-resolution.ts';
import { digestJson } from '../study/digest.ts';
import { requireRunner } from './access.ts';
import { collectActive } from './collect.ts';
import type { Caller } from './coordinator.ts';
import { type CoordinatorContext, unknownStudy } from './coordinator-context.ts';
import { requireStep } from './life.ts';
import { heldBack, heldIn, tooFewSites } from './minimum-sites.ts';
import { openAgreed, stillRefused } from './open-sites.ts';
import { offerOpening } from './openings.ts';
import { noiseOf, unpublishable } from './release.ts';
import { spendsBudget } from './release-witness.ts';
import { insertResolution, newestResolution } from './resolution-records.ts';
import { erasedFailure } from './retention.ts';
import { siteLines } from './site-statuses.ts';
import {
  type ActiveSet,
  acceptLate,
  activeNow,
  contributionsOf,
  isStillActive,
  missingSites,
} from './stored-contributions.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { StudiesTable } from './tables.ts';

interface Choice {
  readonly includeLate: boolean;
}

type Outcome = { readonly resolution: SealedResolution } | { readonly refused: Refusal };

/** The active contributions changed during the attempt: start again. */
const again = Symbol('again');

const MOST_ATTEMPTS = 20;
const WAIT_MILLISECONDS = 50;
/** How long a request waits while another one resolves the study, in milliseconds. */
const LONGEST_WAIT = 60_000;
/** Time after which a study is tried again that something outside has stopped. */
const LATER_MS = 5_000;
/** Most requests to resolve one study that wait in one coordinator. */
const MOST_WAITING = 32;

/** A new numbered resolution of the active contributions; the newest one if it has the same files. */
export async function resolveStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  choice: Choice,
): Promise<SealedResolution> {
  requireRunner(caller, id);
  const leave = enterQueue(context, id);
  const latest = performance.now() + LONGEST_WAIT;
  try {
    for (;;) {
      const outcome = await context.store.alone(`resolve:${id}`, () =>
        conclude(context, id, choice),
      );
      if (outcome !== undefined) {
        if ('refused' in outcome) throw outcome.refused;
        return outcome.resolution;
      }
      if (performance.now() > latest) {
        throw new Refusal(
          'store-unavailable',
          'another request has been resolving this study for a minute',
          'ask again later; the study shows its newest resolution',
        );
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
    }
  } finally {
    leave();
  }
}

/** Requests to resolve that wait in each coordinator, by study. */
const waiting = new WeakMap<CoordinatorContext, Map<string, number>>();

/** Counts a request to resolve a study, until it leaves; refuses one too many. */
function enterQueue(context: CoordinatorContext, id: string): () => void {
  const counts = waiting.get(context) ?? new Map<string, number>();
  waiting.set(context, counts);
  const change = (by: number) => {
    const count = (counts.get(id) ?? 0) + by;
    if (count === 0) counts.delete(id);
    else counts.set(id, count);
  };
  if ((counts.get(id) ?? 0) >= MOST_WAITING) {
    throw new Refusal(
      'too-many-requests',
      'too many requests to resolve this study are waiting',
      'wait for the answer to one of them',
    );
  }
  change(1);
  return () => change(-1);
}

/** Resolves a study that is due, unless another process does; a refusal is stored in the study. */
export async function resolveDue(context: CoordinatorContext, id: string): Promise<void> {
  await context.store.alone(`resolve:${id}`, async () => {
    const { due } = await dueStudy(context, id);
    if ((context.postponed.get(id) ?? 0) > performance.now()) return;
    if (due === 1) await conclude(context, id, { includeLate: false });
  });
}

async function conclude(context: CoordinatorContext, id: string, choice: Choice): Promise<Outcome> {
  for (let k = 0; k < MOST_ATTEMPTS; k++) {
    const outcome = await attempt(context, id, choice);
    if (outcome !== again) return outcome;
  }
  throw new Refusal(
    'conflict',
    'the contributions keep changing',
    'ask again when fewer sites are sending',
  );
}

async function attempt(
  context: CoordinatorContext,
  id: string,
  choice: Choice,
): Promise<Outcome | typeof again> {
  const { state, quorum, ...study } = await dueStudy(context, id);
  requireStep('resolve', state);
  const active = await activeNow(context.store.db, id, choice);
  const agreed = await context.agreed(id);
  const few = tooFewSites(agreed, active, quorum);
  if (few !== undefined) return storeOutcome(context, id, choice, active, few);
  const newest = await newestResolution(context.store.db, id);
  const published = newest?.number ?? 0;
  if (isOver(newest, active)) return storeOutcome(context, id, choice, active, newest);
  const erased = erasedFailure(study);
  if (erased !== undefined) return storeOutcome(context, id, choice, active, erased);
  const held = await heldBack(context, id, agreed, active);
  if (held !== undefined) return storeOutcome(context, id, choice, active, held);
  const spent = await unpublishable(context, agreed, published, active.digest);
  if (spent !== undefined) return storeOutcome(context, id, choice, active, spent);
  const opened = await openAgreed(context, id, agreed, active);
  if ('problem' in opened) return storeOutcome(context, id, choice, active, opened);
  if (opened.named.length > 0) return again;
  const { method } = agreed;
  const collected = await collectActive(context, id, agreed, active, {
    method,
    across: false,
  });
  if (collected === undefined) return again;
  if ('problem' in collected) {
    const refused = collected.openable
      ? await stillRefused(context, id, active, collected)
      : collected;
    return storeOutcome(context, id, choice, active, refused);
  }
  const noise = await noiseOf(context, agreed, id, active);
  const concluded = await context.conclude({ study: agreed.study, ...collected, ...noise });
  const answer = 'problem' in concluded ? concluded : concluded.report;
  return storeOutcome(context, id, choice, active, answer);
}

/** Stores the outcome of an attempt, unless the active contributions have changed. */
async function storeOutcome(
  context: CoordinatorContext,
  id: string,
  choice: Choice,
  active: ActiveSet,
  answer: Report | Failure | SealedResolution,
): Promise<Outcome | typeof again> {
  let erased = 0;
  const outcome = await inStudy(context, id, async (session): Promise<Outcome | typeof again> => {
    requireStep('resolve', session.study.state);
    if (!(await isStillActive(session.db, id, choice, active))) return again;
    if ('problem' in answer) {
      if (answer.openable === true) await offerOpening(session, active);
      return { refused: unresolved(session, answer) };
    }
    const newest = await newestResolution(session.db, id);
    const published = newest?.number ?? 0;
    const known = isOver(newest, active) ? newest : undefined;
    if (known === undefined && 'number' in answer) return again;
    const agreed = await context.agreed(id);
    const spent =
      known === undefined
        ? await unpublishable(context, agreed, published, active.digest)
        : undefined;
    if (spent !== undefined) return { refused: unresolved(session, spent) };
    const held = known === undefined ? await heldIn(session, agreed, active) : undefined;
    if (held !== undefined) return { refused: unresolved(session, held) };
    if (choice.includeLate) ({ erased } = await acceptLate(session));
    if (known !== undefined && session.study.state === 'resolved') return { resolution: known };
    const resolution = known ?? (await newResolution(session, newest, active, answer as Report));
    const digest = resolutionDigest(resolution);
    if (known === undefined) await insertResolution(session, resolution, digest);
    session.change({ state: 'resolved', due: 0, problem: null });
    session.record('resolved', { number: resolution.number, digest });
    return { resolution };
  });
  if (erased > 0) await context.store.scrub();
  return outcome;
}

/** Whether a resolution was made of these contributions. */
function isOver(
  resolution: SealedResolution | undefined,
  { digest }: ActiveSet,
): resolution is SealedResolution {
  return resolution !== undefined && digestJson(resolution.contributions) === digest;
}

async function newResolution(
  session: StudySession,
  newest: SealedResolution | undefined,
  active: ActiveSet,
  report: Report,
): Promise<SealedResolution> {
  const agreed = await session.context.agreed(session.id);
  const { study, digest } = agreed;
  const number = (newest?.number ?? 0) + 1;
  if (spendsBudget(agreed)) {
    await session.context.witness.record(digest, { number, contributions: active.digest });
  }
  return sealDocument<Resolution>(
    {
      schema: 'suffice/resolution@1',
      number,
      study,
      studyDigest: digest,
      resolvedAt: session.at,
      contributions: contributionsOf(active.bySite),
      missing: await missingSites(session, active),
      report: { ...JSON.parse(reportJson(report)), sites: siteLines(active) },
    },
    session.context.signing,
  );
}

/** Stores in the study why it has no resolution; an earlier resolution stays. */
function unresolved(session: StudySession, { problem, remedy, later }: Failure): Refusal {
  if (later === true) session.context.postponed.set(session.id, performance.now() + LATER_MS);
  if (session.study.state === 'closed' && session.study.problem !== problem) {
    session.change({ problem });
    session.record('unresolved', { problem });
  }
  session.change({ due: later === true ? 1 : 0 });
  return new Refusal('conflict', problem, remedy);
}

async function dueStudy(
  context: CoordinatorContext,
  id: string,
): Promise<Pick<StudiesTable, 'state' | 'quorum' | 'due' | 'erased_at'>> {
  const row = await context.store.db
    .selectFrom('studies')
    .select(['state', 'quorum', 'due', 'erased_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownStudy();
  return row;
}
