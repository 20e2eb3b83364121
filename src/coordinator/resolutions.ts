import type { Failure } from '../failure.ts';
import { type Report, reportJson } from '../model/report.ts';
import type { Resolution, SealedResolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import { resolutionDigest } from '../protocol/verify-resolution.ts';
import { digestJson } from '../study/digest.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import { type Counting, contributionsOf, countingNow, missingSites } from './counting.ts';
import { type Desk, unknownStudy } from './desk.ts';
import { acceptLate } from './held-parts.ts';
import { noiseOf, overspent } from './release.ts';
import { insertResolution, newestResolution } from './resolution-records.ts';
import { siteLines } from './site-statuses.ts';
import { gatherSources } from './sources.ts';
import { requireStep } from './steps.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { StudiesTable } from './tables.ts';

interface Choice {
  readonly includeLate: boolean;
}

type Outcome = { readonly resolution: SealedResolution } | { readonly refused: Refusal };

/** What counted has changed while it was being added: start over. */
const again = Symbol('again');

const MOST_ATTEMPTS = 20;
const WAIT_MILLISECONDS = 50;

/** A new numbered answer over what counts now; the newest one where that is over the same files. */
export async function resolveStudy(
  desk: Desk,
  caller: Caller,
  id: string,
  choice: Choice,
): Promise<SealedResolution> {
  requireRunner(caller, id);
  for (;;) {
    const outcome = await desk.store.alone(`resolve:${id}`, () => conclude(desk, id, choice));
    if (outcome !== undefined) {
      if ('refused' in outcome) throw outcome.refused;
      return outcome.resolution;
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
  }
}

/** Resolves a study that is due, unless another process is at it; a refusal is told in the study. */
export async function resolveDue(desk: Desk, id: string): Promise<void> {
  await desk.store.alone(`resolve:${id}`, async () => {
    const { due } = await dueStudy(desk, id);
    if (due === 1) await conclude(desk, id, { includeLate: false });
  });
}

async function conclude(desk: Desk, id: string, choice: Choice): Promise<Outcome> {
  for (let k = 0; k < MOST_ATTEMPTS; k++) {
    const outcome = await attempt(desk, id, choice);
    if (outcome !== again) return outcome;
  }
  throw new Refusal(
    'conflict',
    'the contributions keep changing',
    'ask again when fewer sites are sending',
  );
}

async function attempt(desk: Desk, id: string, choice: Choice): Promise<Outcome | typeof again> {
  const { state, quorum } = await dueStudy(desk, id);
  requireStep('resolve', state);
  const counting = await countingNow(desk.store.db, id, choice);
  const { bySite } = counting;
  if (bySite.size < quorum) {
    return settle(desk, id, choice, counting, {
      problem: `${bySite.size} of ${quorum} sites of the quorum have contributed`,
      remedy: 'reopen the study, or include contributions that came late',
    });
  }
  const newest = await newestResolution(desk.store.db, id);
  const published = newest?.number ?? 0;
  if (isOver(newest, counting)) return settle(desk, id, choice, counting, newest);
  const agreed = await desk.agreed(id);
  const spent = overspent(agreed, published);
  if (spent !== undefined) return settle(desk, id, choice, counting, spent);
  const { method } = agreed;
  const sources = await gatherSources(desk.store, id, agreed, counting, { method, across: false });
  if (sources === undefined) return again;
  if ('problem' in sources) return settle(desk, id, choice, counting, sources);
  const sites = siteLines(counting);
  const noise = noiseOf(desk, agreed, counting);
  const concluded = await desk.conclude({ study: agreed.study, ...sources, sites, ...noise });
  const answer = 'problem' in concluded ? concluded : concluded.report;
  return settle(desk, id, choice, counting, answer);
}

/** Writes down how an attempt ended, if what it counted still counts. */
async function settle(
  desk: Desk,
  id: string,
  choice: Choice,
  counting: Counting,
  answer: Report | Failure | SealedResolution,
): Promise<Outcome | typeof again> {
  let erased = 0;
  const outcome = await inStudy(desk, id, async (session): Promise<Outcome | typeof again> => {
    requireStep('resolve', session.study.state);
    const now = await countingNow(session.db, id, choice);
    if (now.digest !== counting.digest) return again;
    if ('problem' in answer) return { refused: unresolved(session, answer) };
    const newest = await newestResolution(session.db, id);
    const published = newest?.number ?? 0;
    const known = isOver(newest, counting) ? newest : undefined;
    if (known === undefined && 'number' in answer) return again;
    const spent = known === undefined ? overspent(await desk.agreed(id), published) : undefined;
    if (spent !== undefined) return { refused: unresolved(session, spent) };
    if (choice.includeLate) ({ erased } = await acceptLate(session));
    if (known !== undefined && session.study.state === 'resolved') return { resolution: known };
    const resolution = known ?? (await newResolution(session, newest, counting, answer as Report));
    session.change({ state: 'resolved', due: 0, problem: null });
    const { number } = resolution;
    session.record('resolved', { number, digest: resolutionDigest(resolution) });
    return { resolution };
  });
  if (erased > 0) await desk.store.scrub();
  return outcome;
}

function isOver(
  resolution: SealedResolution | undefined,
  { digest }: Counting,
): resolution is SealedResolution {
  return resolution !== undefined && digestJson(resolution.contributions) === digest;
}

async function newResolution(
  session: StudySession,
  newest: SealedResolution | undefined,
  counting: Counting,
  report: Report,
): Promise<SealedResolution> {
  const { study, digest } = await session.desk.agreed(session.id);
  const resolution = sealDocument<Resolution>(
    {
      schema: 'suffice/resolution@1',
      number: (newest?.number ?? 0) + 1,
      study,
      studyDigest: digest,
      resolvedAt: session.at,
      contributions: contributionsOf(counting.bySite),
      missing: await missingSites(session, counting),
      report: JSON.parse(reportJson(report)),
    },
    session.desk.signing,
  );
  await insertResolution(session, resolution);
  return resolution;
}

/** Tells in the study why it has no answer; an answer that stands is not taken back. */
function unresolved(session: StudySession, { problem, remedy }: Failure): Refusal {
  if (session.study.state === 'closed' && session.study.problem !== problem) {
    session.change({ problem });
    session.record('unresolved', { problem });
  }
  session.change({ due: 0 });
  return new Refusal('conflict', problem, remedy);
}

async function dueStudy(
  desk: Desk,
  id: string,
): Promise<Pick<StudiesTable, 'state' | 'quorum' | 'due'>> {
  const row = await desk.store.db
    .selectFrom('studies')
    .select(['state', 'quorum', 'due'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownStudy();
  return row;
}
